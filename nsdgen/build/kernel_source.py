"""The text to compile, and the model quantity behind each of its lines."""

import re
from dataclasses import dataclass

# Emitted Cython carries `# [tag] ...`; blocks of verbatim C cannot, and use C comments.
_LANES = re.compile(r"^#ifdef NSDGEN_LANES$.*?^#define NSD_LANES 0$", re.MULTILINE | re.DOTALL)
_TAG = re.compile(r"^\s*(?:#|//|/\*) \[tag\] (?P<text>.*?)\s*(?:\*/)?\s*$")


@dataclass(frozen=True)
class KernelSource:
    """A self-contained Cython text, the name of its module and of its model.

    ``text`` needs Cython, a C compiler and ``Python.h``, nothing else. Comment lines
    ``# [tag] <what>`` say which quantity of the model the lines below them compute.
    Raises ``ValueError`` when ``module`` is no identifier (it becomes a file name and
    part of a C symbol).
    """

    model: str
    module: str
    text: str

    def __post_init__(self) -> None:
        if not (self.module.isidentifier() and self.module.isascii()):
            raise ValueError(f"a module cannot be called {self.module!r}")

    @property
    def lines(self) -> list[str]:
        """The lines of the text; line n of a compiler's message is ``lines[n - 1]``."""
        return self.text.split("\n")

    def compiled(self, lanes: bool) -> int:
        """How many characters are compiled: those that step several members at once are only where it is asked for."""
        return len(self.text) - (0 if lanes else sum(len(found[0]) for found in _LANES.finditer(self.text)))

    def tag_at(self, line: int) -> str:
        """The nearest tag at or above a line (counted from 1), or an empty string."""
        for text in reversed(self.lines[:line]):
            if match := _TAG.match(text):
                return match["text"]
        return ""
