"""How often Python's collector of cycles works. Nothing is imported from nsdgen here."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = 1000  # times less often: the collector then hardly shows in a profile
_USUAL = 700  # Python's own threshold before 3.14


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """With the collector at work a thousand times less often than usual.

    It walks through all that SymPy holds, over and over while expressions are made that stay: a tenth to a fifth of
    the time to derive and emit a model.
    """
    usual = gc.get_threshold()
    if usual[0] == 0:  # it is switched off
        yield
        return
    gc.set_threshold(max(usual[0], _SELDOM * _USUAL), *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
