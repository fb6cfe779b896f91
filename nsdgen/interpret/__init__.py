"""From emitted text to callable kernels without a compiler.

==========================  =============================================================
file                        what it does
==========================  =============================================================
``expressions.py``          reader: expressions of the text as those of the statement tree
``statements.py``           reader: lines of a body as statements of the tree
``registers.py``            which register holds what, and for how long
``places.py``               indices in loops, and loops written out
``register_values.py``      values of expressions: what computes them
``assembler.py``            printer: statements to the code of the register machine
``_machine.pyx``            programs as the table of an emitted module: functions in C
``interpreted_module.py``   all of it: text, taken apart, to an object with the capsule of a module
==========================  =============================================================

Input: the text of a module. Output: what loading its shared object would give, an object whose ``__nsdgen__`` is the
capsule of :mod:`nsdgen.runtime`. The text is the only thing that is read, so that what is interpreted is what would
be compiled; what it may hold is the language that ``nsdgen.emit`` writes, and all else is refused, never skipped.
"""
