"""LaTeX as it stands in a document, read into SymPy: ``Latex(text, symbols={...})`` as a side of a claim.

``tokens.py`` splits the text, ``decorated_names.py`` says what a name is, ``parser.py`` reads the grammar,
``operations.py`` multiplies, differentiates and builds matrices, ``hand.py`` is what a user writes.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .hand import Latex

__all__ = ["Latex"]


def __getattr__(name: str) -> Any:
    if name != "Latex":
        from nsdgen.base.suggest import absent

        raise absent(__name__, name, __all__)
    return import_module(".hand", __name__).Latex
