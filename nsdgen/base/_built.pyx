# cython: language_level=3
"""What the compiled parts were made with, as their compiler saw it."""

cdef extern from *:
    """
    #if defined(__clang__)
    #define NSD_COMPILER "clang " __clang_version__
    #elif defined(__GNUC__)
    #define NSD_COMPILER "gcc " __VERSION__
    #elif defined(_MSC_VER)
    #define NSD_COMPILER "Microsoft C"
    #else
    #define NSD_COMPILER "an unknown C compiler"
    #endif
    """
    const char *NSD_COMPILER
    const char *PY_VERSION
    const int CYTHON_HEX_VERSION


def built_with() -> dict[str, str]:
    """The versions of the Python, the Cython and the C compiler that this build of nsdgen was made with."""
    cython = CYTHON_HEX_VERSION
    return {
        "Python": PY_VERSION.decode(),
        "Cython": f"{cython >> 24}.{cython >> 16 & 255}.{cython >> 8 & 255}",
        "C compiler": NSD_COMPILER.decode(),
    }
