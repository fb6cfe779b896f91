"""A shared object into a module, by its location and nothing else."""

import hashlib
import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from nsdgen.abi import CAPSULE
from nsdgen.errors import ModuleMismatch

_FIX_REBUILD = "build the model again; a module serves the Python and the machine it was built on"


def load_module(path: Path, name: str = "_kernels") -> ModuleType:
    """The module ``name`` in the shared object ``path``; a second call gives the same one.

    Any number of modules of one name can be loaded from different files. Neither
    ``sys.path`` nor ``sys.modules[name]`` is touched. Raises ``ModuleMismatch`` when the
    file cannot be loaded, holds no nsdgen module, or replaced one that is in use.
    """
    path = Path(path).resolve()
    unique = _unique_name(path, name)
    if unique in sys.modules:
        return sys.modules[unique]
    module = import_extension(path, unique)
    _check(module, path, unique)
    sys.modules[unique] = module
    return module


def _unique_name(path: Path, name: str) -> str:
    """Another name for each file and content; the part after the dot finds ``PyInit_name``."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModuleMismatch(f"{path} cannot be read: {error.strerror}", fix=_FIX_REBUILD) from error
    digest = hashlib.sha256(str(path).encode() + b"\0" + content).hexdigest()[:16]
    return f"nsdgen_module_{digest}.{name}"


def import_extension(path: Path, unique: str) -> ModuleType:
    """Load the extension module ``<any>.<name>`` from a file, without registering it.

    Raises ``ModuleMismatch`` when the file is no extension for this Python.
    """
    name = unique.rpartition(".")[2]
    loader = ExtensionFileLoader(unique, str(path))
    spec = spec_from_file_location(unique, path, loader=loader)
    assert spec is not None  # it is made from the loader, whatever the file holds
    before = sys.modules.get(name)
    try:
        module = module_from_spec(spec)
        loader.exec_module(module)
    except ImportError as error:
        raise ModuleMismatch(f"{path} cannot be loaded: {error}", fix=_FIX_REBUILD) from error
    finally:
        # Cython enters its modules under their bare name if that is free; the next
        # model's module has the same one.
        if before is None:
            sys.modules.pop(name, None)
    return module


def _check(module: ModuleType, path: Path, unique: str) -> None:
    # The system keeps one library per path: after the file was replaced, it still hands
    # out the old one, whose module is then known by its older name.
    if module.__name__ != unique:
        raise ModuleMismatch(
            f"{path} was replaced after it had been loaded", fix="start Python anew, or compile into another folder"
        )
    capsule = getattr(module, "__nsdgen__", None)
    if type(capsule).__name__ != "PyCapsule" or f'"{CAPSULE}"' not in repr(capsule):
        raise ModuleMismatch(f"{path} is no module of nsdgen: it has no capsule {CAPSULE!r}", fix=_FIX_REBUILD)
