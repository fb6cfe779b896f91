"""The store of compiled kernels: written once, verified when read, safe to share.

::

    <cache>/v1/<key>/           name.pyx  name.c  name<suffix>  log.json
    <cache>/v1/failed/<key>/    the last failure of a key; never consulted
    <cache>/v1/manifest/        see manifest.py
    <cache>/v1/locks/           see lock.py
    <cache>/v1/tmp-<pid>-<...>/ a build under way, or what a killed one left

An entry appears by one ``rename`` of a finished folder. So there is no moment at which
a killed process leaves a half-written entry, and of two processes that build the same
text the second finds the first one's entry and uses it. What a rename cannot promise
(a power failure, a full disk, a hand in the cache) the checksums in ``log.json`` catch. What is loaded
must be the user's own (see ownership.py): folders are made with mode 700, files with 600.
"""

import hashlib
import json
import os
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nsdgen.base.processes import is_running
from nsdgen.errors import CompilerMissing

from .lock import held
from .ownership import check_place, exposure, make_private, seal

LAYOUT = "v1"
"""The layout above; another one would live beside it."""

LOG = "log.json"

ENVIRONMENT = "NSDGEN_CACHE"

_TEMPORARY = "tmp"
KEY_LENGTH = 32  # hexadecimal digits: 128 bits, so that two texts never meet
_STALE_SECONDS = 3600.0  # no kernel takes an hour to compile
_ATTEMPTS = 10  # each fails only if another process removed the folder in between


def cache_root(environ: Mapping[str, str] | None = None) -> Path:
    """``$NSDGEN_CACHE``, or the folder the system has for caches."""
    environ = os.environ if environ is None else environ
    if given := environ.get(ENVIRONMENT):
        return Path(given).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_cache_dir("nsdgen", appauthor=False))


def file_hash(path: Path) -> str:
    """The sha256 of a file's content, in hex; raises ``OSError``."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


@dataclass(frozen=True)
class Cache:
    """The kernels below one folder. A record: all state is in the file system."""

    root: Path

    def find(self, key: str, name: str) -> Path | None:
        """The file ``name`` of an entry, if the entry is there, sound, and nobody else's. Only reads.

        Raises ``NotTrusted`` where others may write in the cache.
        """
        entry = self.root / key
        try:
            files = json.loads((entry / LOG).read_text(encoding="utf-8"))["sha256"]
            sound = name in files and all(file_hash(entry / file) == digest for file, digest in files.items())
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        if not sound or exposure(entry, entry / LOG, *(entry / file for file in files)):
            return None
        self.check()
        return entry / name

    def check(self) -> None:
        """Raise ``NotTrusted`` where others may write in the cache or above it."""
        check_place(
            self.root,
            what=f"the cache {self.root.parent}",
            fix=f"remove it, and nsdgen makes it anew (mode 700), or set {ENVIRONMENT} to a folder of your own",
        )

    @contextmanager
    def workspace(self) -> Iterator[Path]:
        """A new folder beside the entries, removed at the end unless it was moved.

        Raises ``CompilerMissing`` when the cache cannot be written, ``NotTrusted`` where others may write in it.
        """
        folder = self._temporary()
        with self.writing():
            make_private(folder)
        self.check()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def lock(self, key: str, patience: float) -> Iterator[bool]:
        """Wait while another process builds ``key``, at most ``patience`` seconds.

        Raises ``CompilerMissing`` when the cache cannot be written, ``NotTrusted`` where others may write in it.
        """
        self.check()
        # 256 files for all keys: the folder stays small, and a lock that two keys share
        # costs one of them a little time.
        path = self.root / "locks" / f"{key[:2]}.lock"
        with ExitStack() as stack:
            with self.writing():
                got = stack.enter_context(held(path, patience))
            yield got

    def publish(self, build: Path, key: str, name: str) -> Path:
        """Make a finished folder the entry ``key``; gives the path of ``name`` in it.

        When another process was first, its entry is kept and used. Raises
        ``CompilerMissing`` when the cache cannot be written.
        """
        with self.writing():
            seal(build)
        for _ in range(_ATTEMPTS):
            if self._move(build, self.root / key):
                return self.root / key / name
            if winner := self.find(key, name):
                return winner
            self._discard(self.root / key)
        raise _no_place(self.root, f"the entry {key} is being replaced again and again")

    def keep_failure(self, build: Path, key: str) -> Path:
        """Keep the folder of a failed build for a person to read; gives where.

        Raises ``CompilerMissing`` when the cache cannot be written.
        """
        target = self.root / "failed" / key
        with self.writing():
            make_private(target.parent)
            seal(build)
        for _ in range(_ATTEMPTS):
            if self._move(build, target):
                return target
            self._discard(target)
        return target  # another failure of the same text, which says the same

    def sweep(self) -> None:
        """Remove what killed builds left: their process is gone, and an hour has passed."""
        for folder in self.root.glob(f"{_TEMPORARY}-*"):
            try:
                age = time.time() - folder.stat().st_mtime
            except OSError:
                continue  # somebody else swept it
            if age > _STALE_SECONDS and not _alive(folder.name):
                _remove(folder)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Turn the ``OSError`` of a block that writes here into ``CompilerMissing``."""
        try:
            yield
        except OSError as error:
            raise _no_place(self.root, error) from error

    def _temporary(self) -> Path:
        return self.root / f"{_TEMPORARY}-{os.getpid()}-{secrets.token_hex(6)}"

    def _move(self, source: Path, target: Path) -> bool:
        """Rename a folder; False when something is there already."""
        try:
            os.rename(source, target)
        except OSError as error:
            if os.path.lexists(target):
                return False
            raise _no_place(self.root, error) from error
        return True

    def _discard(self, path: Path) -> None:
        """Take a broken entry away in one step, so that nobody sees half of it."""
        doomed = self._temporary()
        try:
            os.rename(path, doomed)
        except FileNotFoundError:
            return  # somebody else took it
        except OSError as error:
            raise _no_place(self.root, error) from error
        _remove(doomed)


def open_cache(folder: Path | None = None) -> Cache:
    """The cache in ``folder``, by default in ``cache_root()``. Touches no file."""
    return Cache((folder or cache_root()).absolute() / LAYOUT)


def _no_place(root: Path, reason: OSError | str) -> CompilerMissing:
    words = reason.strerror if isinstance(reason, OSError) else reason
    return CompilerMissing(
        f"there is no place to keep compiled kernels: {root}: {words}",
        fix="set NSDGEN_CACHE to a folder that you can write to and that has free space",
    )


def _alive(name: str) -> bool:
    """Whether the process that a temporary folder is named after still runs."""
    try:
        pid = int(name.split("-")[1])
    except (IndexError, ValueError):
        return False
    return is_running(pid)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def write_json(path: Path, record: Mapping[str, Any]) -> None:
    """Write a record so that people and ``diff`` can read it; raises ``OSError``."""
    with open(path, "w", encoding="utf-8", opener=_private) as file:
        file.write(json_text(record))


def json_text(record: Mapping[str, Any]) -> str:
    """A record as people and ``diff`` can read it."""
    return json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
