"""The command line: words to options, files to models, what is printed, and where a command ends."""
