"""Files that appear whole or not at all.

The content goes into a hidden file beside the target, ``.<name>.<machine>-<process>-<random>.part``, which then takes
its place. A killed process leaves the old file as it was, and a part that the next one to write there sweeps away.
"""

import hashlib
import os
import platform
import secrets
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from nsdgen.base.processes import is_running
from nsdgen.errors import NsdgenError, ParameterError

_LONGEST = 100  # characters of the target's name in that of its part: names have at most 255 bytes
_STALE_SECONDS = 24 * 3600.0  # where the machine that made a part cannot be asked


@contextmanager
def replaced_file(path: str | os.PathLike[str], mode: int = 0o666, *, keep: bool = True) -> Iterator[BinaryIO]:
    """A binary stream whose content becomes ``path`` at the end of the block; raises ``OSError``.

    An existing file keeps its mode and, where the user may set it, its owner, unless ``keep`` is False; a new one
    gets ``mode`` less the umask.
    A link is followed: what it leads to is replaced.
    """
    target = Path(os.path.realpath(path))
    prefix = f".{target.name.encode()[:_LONGEST].decode(errors='ignore')}."
    _sweep(target.parent, prefix)
    part = target.with_name(f"{prefix}{_machine()}-{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        with open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as stream:
            yield stream
        if keep:
            _take_over(part, target)
        os.replace(part, target)
    finally:
        with suppress(OSError):  # gone already when all went well
            part.unlink()


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary stream whose content becomes ``path`` at the end of the block.

    As :func:`replaced_file`, for files that a user names: raises ``ParameterError`` where the place cannot be written.
    """
    try:
        with replaced_file(path) as stream:
            yield stream
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
        if isinstance(error, NsdgenError):
            raise
        raise ParameterError(
            f"{str(path)!r} cannot be written: {getattr(error, 'strerror', '') or error}", fix=_write_remedy(Path(path))
        ) from error


def check_suffix(path: Path, known: Sequence[str], what: str, *, model: str = "", where: str) -> None:
    """Raises ``ParameterError`` for a file name under which ``what`` is not saved: it ends with none of ``known``."""
    if path.suffix.lower() not in known:
        raise ParameterError(
            f"{what} cannot be saved as {str(path)!r}",
            model=model,
            where=where,
            fix=f"use a file name that ends with {', '.join(known)}",
        )


def _write_remedy(target: Path) -> str:
    folder = target.parent
    if not os.path.exists(folder):
        return f"create the folder {str(folder)!r} first"
    if os.path.isdir(target):
        return "give the name of a file, not of a folder"
    return f"choose a folder you may write to, with room left; this one is {str(folder)!r}"


def _take_over(part: Path, target: Path) -> None:
    """Give a new file the owner and the mode of the one that it replaces."""
    try:
        before = os.stat(target)
    except OSError:
        return
    with suppress(OSError, AttributeError):  # others than root cannot give files away
        os.chown(part, before.st_uid, before.st_gid)
    os.chmod(part, stat.S_IMODE(before.st_mode))


def _sweep(folder: Path, prefix: str) -> None:
    """Remove the parts that killed processes left."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(prefix) and entry.name.endswith(".part") and _left(entry, prefix):
                with suppress(OSError):
                    os.unlink(entry.path)


def _left(entry: os.DirEntry[str], prefix: str) -> bool:
    """Whether nobody writes a part any more."""
    machine, dash, rest = entry.name[len(prefix) :].partition("-")
    pid = rest.partition("-")[0]
    if not dash or not pid.isdecimal():
        return False  # not one of ours
    try:
        old = time.time() - entry.stat(follow_symlinks=False).st_mtime > _STALE_SECONDS
    except OSError:
        return False  # somebody else swept it
    return old or (machine == _machine() and not is_running(int(pid)))


def _machine() -> str:
    """A short name of this machine and, in a container, of its processes' numbering."""
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        space = ""
    return hashlib.sha256(f"{platform.node()} {space}".encode()).hexdigest()[:8]
