"""What a model file declares besides itself: data files, noted while the file is being executed.

Whoever executes a model file opens :func:`loading`; what :func:`depends_on` is called with meanwhile is in what it
gives. Nothing is imported here but errors.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from nsdgen.errors import ModelError


@dataclass
class Loading:
    """A model file that is being executed: its folder, and the data files it declared so far."""

    folder: Path
    data: list[Path] = field(default_factory=list)


_current: ContextVar[Loading | None] = ContextVar("nsdgen_loading", default=None)


@contextmanager
def loading(folder: Path) -> Iterator[Loading]:
    """While this is open, data files are those of a model file in ``folder``."""
    token = _current.set(found := Loading(folder))
    try:
        yield found
    finally:
        _current.reset(token)


def depends_on(path: str | Path) -> Path:
    """Declare a data file of a model: the cache derives the model again when it changes. Gives its absolute path.

    A relative path starts at the folder of the model file, also when the file is run by Python itself. Raises
    ``ModelError`` when there is no such file.
    """
    now = _current.get()
    if now is not None:
        folder = now.folder
    else:
        script = getattr(sys.modules.get("__main__"), "__file__", None)
        folder = Path(script).resolve().parent if script else Path.cwd()
    found = (folder / path).resolve()
    if not found.is_file():
        raise ModelError(
            f"there is no data file {str(path)!r}",
            where=f"folder {folder}",
            fix="give its path relative to the model file",
        )
    if now is not None:
        now.data.append(found)
    return found
