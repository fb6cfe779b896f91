"""From emitted text to a loaded module: compiler, flags, cache.

======================  =============================================================
file                    what it does
======================  =============================================================
``kernel_source.py``    the text to compile, and the model quantity behind each line
``flags.py``            what is asked of the compiler, and of the build
``toolchain.py``        which compiler, headers and Cython are there
``cythonize.py``        Cython, in this process, with its messages captured
``compiler.py``         the C compiler on files, and whether it works at all
``side_by_side.py``     long kernels in files of their own, compiled at once
``beside.py``           a process that compiles while this one interprets
``compile.py``          the whole way: key, cache, Cython, compiler, publication
``failure.py``          what is said when a tool refuses the text
``cache.py``            the store of kernels; ``lock.py`` saves duplicate work in it
``manifest.py``         the store that spares deriving a model again
``ownership.py``        who may have written what is loaded
``loader.py``           a shared object into a module
``kernels.py``          compiled where that is possible, else interpreted
``doctor.py``           what is missing on this machine, and how to get it
======================  =============================================================

Input: a ``KernelSource``. Output: the path of a shared object, and the
module in it. Nothing here knows what the kernels compute.
"""
