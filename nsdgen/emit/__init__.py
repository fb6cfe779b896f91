"""From kernel records to the text of a module: the statement tree, its printers, the table of kernels, packages."""
