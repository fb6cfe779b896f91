"""From emitted text to callable kernels without a compiler.

======================  =============================================================
file                    what it does
======================  =============================================================
``module_text.py``      takes the text of a module apart: bodies of kernels, table
``table_text.py``       the table of kernels, from its initialisers in C
``expressions.py``      expressions of the text as trees
``statements.py``       lines of a body as statements
``assembler.py``        statements to the code of the register machine
``places.py``           indices in loops
``_machine.pyx``        programs as the table of an emitted module: functions in C
``kernels.py``          all of it: text to an object with the capsule of a module
======================  =============================================================

Input: the text of a module. Output: what loading its shared object would give, an object whose ``__nsdgen__`` is the
capsule of :mod:`nsdgen.runtime`. The text is the only thing that is read, so that what is interpreted is what would
be compiled; what it may hold is the language that ``nsdgen.emit`` writes, and all else is refused, never skipped.
"""
