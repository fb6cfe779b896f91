"""Hand sides that are code: Python functions, compiled C functions, plugin functions.

======================  ==============================================================
file                    what it does
======================  ==============================================================
``signature.py``        the argument lists of C functions, from prototypes and headers
``conventions.py``      the plugin functions of the Siconos platform, one table
``hand_functions.py``   what a user writes: ``PythonFunction``, ``CFunction``, ``SiconosPlugin``
``call.py``             how a function is called, and what a call gives
``python_call.py``      a Python function at a point
``c_call.py``           a C function at a point, between guards
``guarded.py``          arrays between pages that nobody may touch
``worker.py``           copies of this process that call foreign code, with a time limit
``shared_library.py``   C text to a shared library, with the compiler that nsdgen found
``sample_points.py``    where to evaluate: points of ``challenge/``, and what code is wrong at
``kinks.py``            whether a point is on a kink
``problem.py``          what is asked, and what points have shown
``literals.py``         the numbers that code holds
``explain.py``          the verdict that findings amount to
``rounding.py``         hand values against truth, entry by entry, with an error bound
``slip.py``             what a wrong entry was probably meant to be
``decide.py``           the verdict about a foreign function
======================  ==============================================================
"""
