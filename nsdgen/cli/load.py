"""Executes a user's file, of a model or of claims, and says what a model depends on.

The file runs as an ordinary module (no ``if __name__ == "__main__"`` block runs), with its
folder on ``sys.path`` meanwhile. Nothing of it stays in the process: neither the path nor
the modules it brought along, so that two models may have different ``parts.py``, nor what it did to
the process itself: files named on the command line are relative to where the command was given.
"""

from __future__ import annotations

import builtins
import linecache
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

from nsdgen.base.dependencies import loading
from nsdgen.base.of_symbols import way_to_write
from nsdgen.errors import ModelError, NsdgenError

if TYPE_CHECKING:
    from nsdgen.model.model import Model


_MODULE = "nsdgen_model_file"
_FRAMES = 3  # lines of the model shown with an error


@dataclass(frozen=True)
class Dependencies:
    """The files a model was made from, besides the model file itself."""

    modules: tuple[Path, ...] = ()
    data: tuple[Path, ...] = ()

    @property
    def files(self) -> tuple[Path, ...]:
        """The modules, then the data files."""
        return (*self.modules, *self.data)


def load_model(path: str | Path, name: str | None = None) -> tuple[Model, Dependencies]:
    """The model called ``name`` (by default ``model``) of a file, and what it depends on.

    Raises ``ModelError`` when there is no such file or model, and when the file raises;
    errors of nsdgen that it raises pass through, with the lines of the file as notes.
    """
    file = Path(path).resolve()
    with executed(file, "the model file") as (module, dependencies):
        found = dependencies()
    return _select(module, file, name), found


@contextmanager
def executed(path: Path, what: str) -> Iterator[tuple[ModuleType, Callable[[], Dependencies]]]:
    """A file, or a package folder, run as a module, with a function for what it depends on; ``what`` as in errors.

    What it brought stays imported while this is open. Raises ``ModelError`` where there is no Python, and as
    :func:`guarded`.
    """
    module, package = ModuleType(_MODULE), path.is_dir()
    file = path / "__init__.py" if package else path
    code = _compiled(file, what)
    module.__file__ = str(file)
    if package:
        module.__path__ = [str(path)]
    with _visitor(path.parent, module) as brought, loading(file.parent) as declared:
        with guarded(file, what):
            exec(code, module.__dict__)

        def dependencies() -> Dependencies:
            modules = {Path(m.__file__).resolve() for m in brought() if m.__file__}
            return Dependencies(tuple(sorted(modules)), tuple(dict.fromkeys(declared.data)))

        yield module, dependencies


def _compiled(file: Path, what: str) -> CodeType:
    try:
        return compile(file.read_bytes(), str(file), "exec", dont_inherit=True)
    except OSError as error:
        raise ModelError(
            f"{what} {str(file)!r} cannot be read: {error.strerror}", fix="give the path of a file of Python code"
        ) from error
    except SyntaxError as error:
        raise ModelError(
            f"{what} is no valid Python: {error.msg}",
            where=_place(file, error.lineno or 0),
            fix="correct this line or the one before it",
        ) from error
    except ValueError as error:
        raise ModelError(
            f"{what} is no valid Python: {error}", where=str(file), fix="give a text file of Python code"
        ) from error


@contextmanager
def guarded(file: Path, what: str) -> Iterator[None]:
    """Code of a user's file runs in this: the process stays as it was, and errors say which lines led there.

    Raises ``ModelError`` for all but errors of nsdgen.
    """
    try:
        with undisturbed():
            yield
    except NsdgenError as error:
        _add_lines(error, error, file)
        raise
    except (Exception, SystemExit, GeneratorExit) as error:
        said = "".join(traceback.format_exception_only(error)).strip()
        line = next((f.lineno or 0 for f in reversed(_own_frames(error, file)) if f.filename == str(file)), 0)
        failure = ModelError(
            f"{what} raises {said}",
            where=_place(file, line),
            fix=way_to_write(said) or "correct the file; these lines led there",
        )
        _add_lines(failure, error, file)
        raise failure from error


def _select(module: ModuleType, file: Path, name: str | None) -> Model:
    from nsdgen.model.model import Model

    found = vars(module).get(name or "model")
    if isinstance(found, Model):
        return found
    others = [key for key, value in vars(module).items() if isinstance(value, Model)]
    if others:
        fix = f"name one of its models, for instance {file.name}:{others[0]} (it has {', '.join(others)})"
    elif "World(" in file.read_text(encoding="utf-8"):
        fix = f"a world runs from Python: world.run(end, step=...).animate('{file.stem}.html'), then python {file.name}"
    else:
        fix = f"define {name or 'model'} = nsd.Model(...) at the top level of the file"
    wrong = "is no nsdgen.Model" if found is not None else "is not defined"
    raise ModelError(f"{name or 'model'!r} {wrong}", where=str(file), fix=fix)


@contextmanager
def _visitor(folder: Path, module: ModuleType) -> Iterator[Callable[[], list[ModuleType]]]:
    """A module and its folder as guests of this process; gives a function for what they brought."""
    before, place = set(sys.modules), str(folder)
    sys.modules[_MODULE] = module
    sys.path.insert(0, place)

    def brought() -> list[ModuleType]:
        new = [m for key, m in sorted(sys.modules.items()) if key not in before and key != _MODULE]
        return [m for m in new if _is_local(m)]

    try:
        yield brought
    finally:
        if place in sys.path:
            sys.path.remove(place)
        doomed = {id(m) for m in brought()}
        for key in [k for k, m in sys.modules.items() if id(m) in doomed or k == _MODULE]:
            del sys.modules[key]


def _is_local(module: Any) -> bool:
    """Whether a module is the user's own: from a file, and installed nowhere."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str):
        return False
    paths = {Path(file).absolute(), Path(file).resolve()}  # installers may link packages into their place
    return not any(path.is_relative_to(folder) for path in paths for folder in _installed())


@cache
def _installed() -> tuple[Path, ...]:
    """Where Python, its packages and nsdgen live: nothing there belongs to a model.

    Packages may lie outside the folders of this Python, in those of another one that a ``.pth`` file names.
    """
    import site
    import sysconfig

    places = {sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")}
    places |= {*site.getsitepackages(), site.getusersitepackages()}
    places |= {p for p in sys.path if Path(p).name in ("site-packages", "dist-packages")}
    nsdgen = Path(__file__).resolve().parents[1]
    return (nsdgen, nsdgen.parent / "templates", *(Path(p).resolve() for p in sorted(places)))


def _own_frames(error: BaseException, file: Path) -> list[traceback.FrameSummary]:
    """The frames of an error in the model file and in the modules beside it."""
    installed = tuple(str(folder) for folder in _installed())
    return [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(file)
        or (frame.filename.startswith(str(file.parent)) and not frame.filename.startswith(installed))
    ]


def _add_lines(target: BaseException, error: BaseException, file: Path) -> None:
    """Note the lines of the model from which an error came."""
    for frame in _own_frames(error, file)[-_FRAMES:]:
        text = linecache.getline(frame.filename, frame.lineno or 0).strip()
        target.add_note(f"  {_place(Path(frame.filename), frame.lineno or 0)}: {text}")


def _place(file: Path, line: int) -> str:
    return f"{file}, line {line}" if line else str(file)


_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


@contextmanager
def undisturbed() -> Iterator[None]:
    """Give the process back as it was: working folder, standard streams, depth of recursion, builtins.

    A stream that was closed meanwhile goes nowhere from then on.
    """
    folder = _folder()
    streams = {name: getattr(sys, name) for name, _ in _STREAMS}
    depth, known = sys.getrecursionlimit(), dict(vars(builtins))
    try:
        yield
    finally:
        sys.setrecursionlimit(depth)
        for name in vars(builtins).keys() - known.keys():
            delattr(builtins, name)
        vars(builtins).update(known)
        for name, mode in _STREAMS:
            stream = streams[name]
            if stream is not None and stream.closed:
                stream = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115  (open as long as Python is)
            setattr(sys, name, stream)
        if folder and folder != _folder():
            with suppress(OSError):  # it may be gone by now
                os.chdir(folder)


def _folder() -> str:
    """The working folder, "" where it was removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""
