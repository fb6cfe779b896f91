"""Names: the one table that turns what users call things into identifiers.

Users name things as they like (``"θ̇_left (deg)"``); emitted code needs identifiers that
Python, Cython and C all accept and that hide nothing these languages define. All
text of a user that reaches emitted code passes through this file.
"""

import re
import unicodedata
from collections.abc import Container, Iterable, Sequence

from nsdgen.errors import ModelError

# Written out rather than taken from the running Python: the same text must come out of
# every version.
PYTHON = """
False None True and as assert async await break class continue def del elif else except
finally for from global if import in is lambda nonlocal not or pass raise return try while
with yield match case type exec print self abs all any bool bytes chr complex dict dir
divmod float hash id input int iter len list map max min next object open ord range repr
reversed round set slice sorted str sum super tuple vars zip
"""
CYTHON = """
cdef cpdef cimport ctypedef cppclass nogil gil inline public readonly extern include api
namespace NULL DEF IF ELIF ELSE sizeof typeof cython libc Py_ssize_t bint ssize_t fused
"""
C_LANGUAGE = """
auto break case char const continue default do double else enum extern float for goto if
inline int long register restrict return short signed sizeof static struct switch typedef
union unsigned void volatile while asm fortran typeof alignas alignof atomic bool
complex generic imaginary noreturn static_assert thread_local constexpr nullptr true false
"""
C_MACROS = """
I EOF NAN INFINITY HUGE_VAL errno EDOM ERANGE EINTR assert stdin stdout stderr NDEBUG BUFSIZ
M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2
M_SQRT1_2 MAXFLOAT DOMAIN SING OVERFLOW UNDERFLOW INT_MAX INT_MIN DBL_MAX DBL_MIN DBL_EPSILON
RAND_MAX CHAR_BIT SIZE_MAX SNAN FLT_EVAL_METHOD FP_ZERO FP_NAN FP_NORMAL FP_SUBNORMAL FP_INFINITE
F_LOCK F_TEST F_OK R_OK W_OK X_OK L_SET L_INCR L_XTND NZERO LINE_MAX TMP_MAX CHAR_MAX TIME_UTC PIPE_BUF
EADV EAGAIN EBADE EBADR EBUSY ECHRNG ECOMM EFAULT EFBIG EIDRM EINVAL EIO ELOOP EMFILE ENFILE ENOENT ENOMEM ENOSR
ENOSTR ENXIO EPERM EPIPE EPROTO EROFS ESRCH ETIME EXDEV EXFULL
offsetof linux unix main near far small interface signgam out
"""
C_MATH = """
acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ldexp
log log10 log1p log2 ilogb logb modf scalbn scalbln cbrt fabs hypot pow sqrt erf erfc lgamma
tgamma gamma ceil floor nearbyint rint lrint llrint lround llround trunc fmod remainder
remquo copysign nan nextafter nexttoward fdim fmax fmin fma isnan isinf isfinite isnormal
signbit fpclassify j0 j1 jn y0 y1 yn drem finite significand scalb exp10 pow10 sincos
div ldiv exit abort free malloc calloc realloc rand srand time clock index signal read
write close link remove rename select
"""
RESERVED = frozenset(" ".join((PYTHON, CYTHON, C_LANGUAGE, C_MACROS, C_MATH)).split())
RESERVED_PREFIX = re.compile(r"_|nsd_|nsdgen|NSD|Py|PY|NPY|CYTHON|\d")
"""Beginnings that C, Python's headers, Cython and nsdgen keep for themselves."""


def is_reserved(identifier: str) -> bool:
    """Whether one of the languages of emitted code uses this identifier itself."""
    return identifier in RESERVED or RESERVED_PREFIX.match(identifier) is not None


def free_name(wanted: str, taken: Container[str]) -> str:
    """The identifier, numbered from 2 on where it is ``taken`` or reserved."""
    name, number = wanted, 1
    while name in taken or is_reserved(name):
        number += 1
        name = f"{wanted}_{number}"
    return name


def mangle(text: str) -> str:
    """The identifier for a display text; an identifier that is free stays as it is."""
    latin = text if text.isascii() else "".join(_latin(letter) for letter in unicodedata.normalize("NFKD", text))
    name = re.sub(r"[^A-Za-z0-9_]+", "_", latin)
    if not name or RESERVED_PREFIX.match(name):
        name = f"n_{name.lstrip('_')}"
    return f"{name}_" if name in RESERVED else name


def _latin(letter: str) -> str:
    """A letter of another alphabet by its name: ``alpha``, ``Omega``; accents vanish."""
    if letter.isascii():
        return letter
    if unicodedata.combining(letter):
        return ""
    called = re.fullmatch(
        r"(?:GREEK|CYRILLIC) (SMALL |CAPITAL )?(?:LETTER )?(?:FINAL )?(\w+)(?: SYMBOL| WITH .*)?",
        unicodedata.name(letter, ""),
    )
    if called and called[2] == "LAMDA":  # so it is spelled in Unicode, but nowhere else
        return "Lambda" if called[1] == "CAPITAL " else "lambda"
    if called:
        return called[2].capitalize() if called[1] == "CAPITAL " else called[2].lower()
    return f"u{ord(letter):x}" if letter.isalnum() else "_"


def mangle_all(texts: Iterable[str], *, what: str) -> dict[str, str]:
    """The identifiers of distinct texts; two texts with one identifier are refused."""
    owner: dict[str, str] = {}
    for text in texts:
        other = owner.setdefault(mangle(text), text)
        if other != text:
            raise ModelError(
                f"the {what} names {other!r} and {text!r} would both be {mangle(text)!r} in emitted code",
                fix="rename one of them so that they differ in more than punctuation",
            )
    return {text: identifier for identifier, text in owner.items()}


def check_display_name(text: str, *, what: str = "name") -> str:
    """The text, if it can name a thing: printable, without ``/`` and ``.``, not empty."""
    if not isinstance(text, str):
        problem = "is not a text"
    elif not text.strip():
        problem = "is empty"
    elif not text.isprintable():
        problem = "holds characters that cannot be printed"
    elif "/" in text or "." in text:
        problem = "holds '/' or '.', which separate names from each other"
    else:
        return text
    raise ModelError(
        f"the {what} {text!r} {problem}", fix="choose a name of printable characters other than '/' and '.'"
    )


def c_string(text: str) -> str:
    """Text for the inside of a C string literal, as UTF-8.

    Bytes outside ASCII become octal escapes, which end after three digits and so cannot
    swallow what follows; ``?`` is escaped for the sake of trigraphs, braces for the
    sake of the templates.
    """
    return "".join(
        chr(byte) if 0x20 <= byte < 0x7F and chr(byte) not in '"\\?{}%' else f"\\{byte:03o}"
        for byte in text.encode("utf-8", "surrogatepass")
    )


def comment(text: str) -> str:
    """One line that ends no comment of Python or C and opens no template expression."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    line = line.rstrip("\\ ")  # at the end of a line it would continue the comment
    for pair in ("*/", "/*", "{{", "}}", "{%", "%}", "{#", "#}", "??"):
        while pair in line:
            line = line.replace(pair, f"{pair[0]} {pair[1]}")
    while '""' in line:  # three of them end the block of C that comments may stand in
        line = line.replace('""', '" "')
    return line


def numbered(name: str, count: int) -> tuple[str, ...]:
    """The columns of a group of values: ``name``, or ``name[0]``, ``name[1]``, ...."""
    return (name,) if count == 1 else tuple(f"{name}[{i}]" for i in range(count))


def as_vector(names: Sequence[str]) -> list[str]:
    """lam0, lam1, ... are called lam[0], lam[1], ..., so that the trajectory knows a vector, of one entry, too."""
    stem = names[0].rstrip("0123456789") if names else ""
    found = [f"{stem}[{i}]" for i in range(len(names))]
    return found if stem and list(names) == [f"{stem}{i}" for i in range(len(names))] else list(names)
