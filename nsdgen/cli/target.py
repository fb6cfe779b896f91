"""What the first argument of a command stands for, and how it becomes a compiled model.

======================  ==============================================================
typed                   is
======================  ==============================================================
``MODEL.py[:name]``     a model file: remembered where it has not changed since, else
                        executed, derived, emitted, compiled and remembered
``FOLDER``              a package that ``nsdgen compile -o`` wrote
``FILE.nc``, ``.npz``   a trajectory (only ``inspect`` reads those)
======================  ==============================================================

What is remembered of a model file is its record and the key of its kernels, valid while
the file, the user's modules it imported, its data files, nsdgen and SymPy are the same.
Following it executes no model file and imports no SymPy.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nsdgen.base.version import VERSION
from nsdgen.base.whole_file import check_suffix
from nsdgen.errors import ModelError, ModuleMismatch, ParameterError
from nsdgen.record.model_record import ModelRecord

if TYPE_CHECKING:
    from nsdgen.build.beside import Beside
    from nsdgen.cli.load import Dependencies
    from nsdgen.study.compiled_model import CompiledModel

_TRAJECTORIES = (".nc", ".npz")
_DERIVING = ("abi", "base", "record", "symbolic", "schemes", "derive", "emit", "analysis", "model")
_TAKES = {
    "run": ("a model file (.py)", "the folder of a compiled package"),
    "sweep": ("a model file (.py)", "the folder of a compiled package"),
    "derive": ("a model file (.py)",),
    "report": ("a model file (.py)",),
    "study": ("a model file (.py)",),
    "compile": ("a model file (.py)", "the folder of a compiled package"),
    "inspect": ("a model file (.py)", "the folder of a compiled package", "a trajectory file (.nc, .npz)"),
}
_UNSETTLED = 2.0  # seconds


@dataclass(frozen=True)
class Target:
    """A path and, for a model file, the name of the model in it (None: ``model``)."""

    path: Path
    name: str | None = None

    @property
    def is_trajectory(self) -> bool:
        """Whether the suffix is that of a saved trajectory; the file is not looked at."""
        return self.path.suffix.lower() in _TRAJECTORIES

    @property
    def is_package(self) -> bool:
        """Whether the path is an existing folder, which is taken for a compiled package."""
        return self.path.is_dir()


@dataclass(frozen=True)
class Opened:
    """A compiled model, its shared object (None: its kernels are interpreted), and where it came from.

    ``origin`` is ``"derived"``, ``"remembered"`` or ``"package"``; ``seconds`` what each
    stage took when the model was derived (empty for packages).
    """

    compiled: CompiledModel
    shared_object: Path | None
    origin: str
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The key of its kernels in the cache, also while they are built; empty where they are only interpreted."""
        if self.shared_object is not None:
            return self.shared_object.parent.name
        return "" if self.compiled.underway is None else self.compiled.underway.key

    @property
    def text(self) -> str:
        """The Cython text of the kernels."""
        return self.compiled.text or _text_beside(self.shared_object)


def _text_beside(shared_object: Path | None) -> str:
    """The text that a shared object of the cache was made from."""
    return "" if shared_object is None else (shared_object.parent / "_kernels.pyx").read_text(encoding="utf-8")


def parse_target(text: str) -> Target:
    """What ``text`` names; raises ``ModelError`` when nothing is there."""
    stem, colon, name = text.rpartition(":")
    named = bool(colon) and stem.endswith(".py") and name.isidentifier()
    target = Target(Path(stem), name) if named else Target(Path(text))
    if not os.path.exists(target.path):
        raise ModelError(
            f"there is no file or folder {str(target.path)!r}",
            fix="give a model file such as model.py, or a package written by nsdgen compile",
        )
    return target


def check_target(target: Target, command: str) -> None:
    """Raises ``ModelError`` where a command cannot do anything with a target, and says with what it can."""
    path, takes = target.path, _TAKES[command]
    if path.suffix == ".py" and not target.is_package:
        return
    if target.is_package:
        fits = len(takes) > 1
        what = "is a compiled package" if (path / "model.json").is_file() else "is a folder"
    elif target.is_trajectory:
        fits = len(takes) > 2
        what = "is a trajectory file"
    else:
        fits = False
        what = "is a table, which nsdgen writes but does not read" if path.suffix.lower() == ".csv" else "is no model"
    if not fits:
        either = " or ".join(filter(None, (", ".join(takes[:-1]), takes[-1])))
        raise ModelError(f"{str(path)!r} {what}", fix=f"nsdgen {command} takes {either}")


def check_writable(path: Path | None, where: str, known: Sequence[str] = (), what: str = "") -> None:
    """Refuse before a long run what could not be written after it, where there is anything to write.

    Raises ``ParameterError`` for a suffix of ``what`` that is not ``known``, for a file in a folder that is missing or
    closed, and for a folder in its place.
    """
    if path is None:
        return
    if known:
        check_suffix(path, known, what, where=where)
    folder = path.absolute().parent
    if not os.path.isdir(folder):
        raise ParameterError(f"there is no folder {str(path.parent)!r}", where=where, fix="create it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ParameterError(
            f"nothing can be written in the folder {str(path.parent)!r}",
            where=where,
            fix="choose a folder you may write to",
        )
    if os.path.isdir(path):
        raise ParameterError(f"{str(path)!r} is a folder", where=where, fix="give the name of a file")


def open_target(
    target: Target,
    *,
    native: bool = False,
    rederive: bool = False,
    consistent: bool = False,
    interpret: bool | None = None,
    beside: Beside | None = None,
) -> Opened:
    """The compiled model of a model file or package; errors are those of every stage.

    ``consistent``: a run is to make its initial state consistent (``initial_state="consistent"`` of schemes).
    ``interpret`` and ``beside`` as for :func:`nsdgen.build.kernels.make_kernels`.
    """
    if target.is_package:
        return _open_package(target.path, consistent, interpret)
    if target.path.suffix != ".py":
        raise ModelError(f"{str(target.path)!r} is no model", fix="give a .py file or the folder of a package")
    question = _Question(target, native, consistent, interpret)
    remembered = None if rederive else question.remembered()
    return remembered or _derive(target, question, beside)


def _open_package(folder: Path, consistent: bool, interpret: bool | None) -> Opened:
    from nsdgen.build.compile import compile_source
    from nsdgen.build.kernel_source import KernelSource
    from nsdgen.build.toolchain import extension_suffix
    from nsdgen.study.compiled_model import open_package

    if not (folder / "model.json").is_file():
        raise ModelError(
            f"the folder {str(folder)!r} is no package of nsdgen: it holds no model.json",
            fix="give a model file, or a package written by nsdgen compile -o DIR",
        )
    compiled = open_package(folder, interpret=interpret)
    if consistent and not compiled.record.starts_consistently:
        raise ModelError(
            f"the package {str(folder)!r} was compiled to start from the values that are given",
            where="--consistent-start",
            fix="compile it anew with nsdgen compile --consistent-start -o DIR, or run the model file",
        )
    if compiled.interpreted:
        return Opened(compiled, None, "package")
    built = folder / f"_kernels{extension_suffix()}"
    if not built.exists():
        built = compile_source(KernelSource(compiled.name, "_kernels", compiled.text))
    return Opened(compiled, built, "package")


@dataclass(frozen=True)
class _Question:
    """What the manifest is asked about a model file."""

    target: Target
    native: bool
    consistent: bool
    interpret: bool | None
    path: tuple[str, ...] = field(default_factory=lambda: tuple(map(os.path.abspath, sys.path)))  # a file may change it

    @property
    def _terms(self) -> tuple[Path, dict[str, Any], dict[str, str]]:
        from importlib.metadata import version

        from nsdgen.build.flags import cpu_identity

        options = {
            "model": self.target.name or "model",
            "native": self.native and cpu_identity(),  # processors may share a cache
            "path": self.path,  # on which the modules of the file were found
            "CC": os.environ.get("CC", ""),
            "consistent": self.consistent,
        }
        versions = {"nsdgen": f"{VERSION} {_state_of_nsdgen()}", "sympy": version("sympy")}
        return self.target.path.resolve(), options, versions

    def remembered(self) -> Opened | None:
        """The model as it was when its files were the same; None when that is not known."""
        from nsdgen.build.compile import find_kernels
        from nsdgen.build.manifest import lookup
        from nsdgen.model.pipeline import Emitted, build_model, open_cached

        known = lookup(*self._terms)
        if not known:
            return None
        try:
            path = find_kernels(known["kernels"])
            if path and not self.interpret:
                return Opened(open_cached(known["record"], path), path, "remembered", dict(known["seconds"]))
            if not (text := known["text"] or _text_beside(path)):
                return None
            emitted = Emitted(text, ModelRecord.from_json(known["record"]))
            compiled, path = build_model(emitted, native=self.native, interpret=self.interpret)
            return Opened(compiled, path, "remembered", dict(known["seconds"]))
        except (ModuleMismatch, KeyError, TypeError, ValueError):
            return None  # of another nsdgen: derive it anew

    def remember(self, opened: Opened, dependencies: Dependencies, started_ns: int) -> None:
        """Store the answer, unless a file was being edited meanwhile."""
        from nsdgen.build.manifest import store

        # Python trusts byte code whose source has the same size and changed in the same
        # second, so what a module just written had in it is not certain.
        settled = time.time() - _UNSETTLED
        if any(path.stat().st_mtime > settled for path in dependencies.modules):
            return
        record = {
            "record": opened.compiled.record.to_json(),
            "kernels": opened.key,  # the cache has the text there
            "text": "" if opened.key else opened.text,
            "seconds": list(opened.seconds.items()),
        }
        store(*self._terms, record, files=dependencies.files, started_ns=started_ns)


def _derive(target: Target, question: _Question, beside: Beside | None) -> Opened:
    from nsdgen.cli.load import load_model
    from nsdgen.model.pipeline import Timings, build_model, emit_model

    if beside is not None and not question.interpret:
        beside.start()
    started, clock = time.time_ns(), Timings()
    model, dependencies = clock.measure("model file", lambda: load_model(target.path, target.name))
    emitted = emit_model(model.starting_consistently() if question.consistent else model, clock)
    compiled, path = build_model(emitted, clock, native=question.native, interpret=question.interpret, beside=beside)
    compiled.drawing = model.drawing
    opened = Opened(compiled, path, "derived", clock.seconds)
    question.remember(opened, dependencies, started)
    return opened


def _state_of_nsdgen() -> str:
    """A digest of the sizes and dates of the files that derive: a version number may stand still."""
    root = Path(__file__).resolve().parents[1]
    folders = [
        *(root / room for room in _DERIVING),
        root.parent / "templates",
        root / "templates",
        root / "abi" / "include",
    ]
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".j2", ".h")]
    facts = [
        (str(path.relative_to(root.parent)), path.stat().st_size, path.stat().st_mtime_ns) for path in sorted(files)
    ]
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]
