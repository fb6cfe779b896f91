"""Long kernels in C files of their own, so that several compilers work at once, and Cython beside them.

A kernel that is written in C stands in its text as a verbatim block, which Cython copies. Taken out, it leaves a
declaration and as many empty lines as it had, so that messages go on naming the right line. What stands before the
first kernel (functions of nsdgen, macros) is what kernels may use: every file begins with it. Flags are those of the
whole text, and a kernel calls no other one: its machine code does not depend on the file it is in.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_LEAST = 40_000
"""Characters of long kernels from which on a second compiler pays for itself: half a second's work."""
_HEADERS = "#include <math.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n"
_IN_BLOCKS = "NSD_IN_MEMORY("
"""Stands in kernels that take their compiler half the time of others, for each of their characters."""

_OPENING = 'cdef extern from *:\n    r"""\n'
_BLOCK = re.compile(re.escape(_OPENING) + r'(?P<c>.*?)\n    """\n', re.DOTALL)
_KERNEL = re.compile(r"static (?P<head>void \w+\([^)\n]*\))\n\{")


@dataclass(frozen=True)
class SplitText:
    """A Cython text without its long kernels, and the C files that hold these; ``short`` says that it holds none."""

    text: str
    files: tuple[str, ...] = ()
    short: bool = True


def take_apart(text: str, most: int) -> SplitText:
    """The text and up to ``most`` C files, about equal in work; the text as it is where that does not pay."""
    blocks = list(_BLOCK.finditer(text))
    kernels = [(block, head) for block in blocks if (head := _KERNEL.match(block["c"]))]
    few = sum(len(block["c"]) for block, _ in kernels) < _LEAST
    if most < 2 or len(kernels) < 2 or few:
        return SplitText(text, short=few)
    prelude = [block["c"] for block in blocks if block.start() < kernels[0][0].start()]
    shares: list[list[str]] = [[] for _ in range(min(most, len(kernels)))]
    loads = [0] * len(shares)
    work = [(len(block["c"]) // (2 if _IN_BLOCKS in block["c"] else 1), k) for k, (block, _) in enumerate(kernels)]
    for amount, k in sorted(work, key=lambda pair: (-pair[0], pair[1])):
        least = loads.index(min(loads))
        loads[least] += amount
        block, head = kernels[k]
        shares[least].append(block["c"].replace(f"static {head['head']}", head["head"], 1))
    return SplitText(_without(text, kernels), tuple("\n\n".join([_HEADERS, *prelude, *share, ""]) for share in shares))


def _without(text: str, kernels: Sequence[tuple[re.Match[str], re.Match[str]]]) -> str:
    """The text with declarations in place of kernels, every other line where it was."""
    pieces, end = [], 0
    for block, head in kernels:
        pieces += [text[end : block.start("c")], f"{head['head']};", "\n" * block["c"].count("\n")]
        end = block.end("c")
    return "".join([*pieces, text[end:]])
