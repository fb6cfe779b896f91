"""Whose code it is: compiled kernels are loaded only from where nobody else can have put them.

The rule, for a folder that code is loaded from and for every folder above it: it belongs to the user or to root, and
nobody else may write there. Two things count as nobody else: a group that is the user's own (same name, no other
members), and, in a folder above, the sticky bit (as ``/tmp`` has it), under which others cannot touch what is ours.
Systems without POSIX permissions have no such rule.
"""

import os
import stat
from functools import cache
from pathlib import Path

from nsdgen.errors import NotTrusted

_POSIX = os.name == "posix"
_FOLDER, _FILE = 0o700, 0o600


def check_place(folder: Path, files: tuple[Path, ...] = (), *, what: str, fix: str) -> None:
    """Raise ``NotTrusted``, naming ``what`` it is, where others may write in a folder, above it, or in ``files``.

    Files and folders that do not exist are passed over.
    """
    if reason := exposure(folder, *files):
        raise NotTrusted(f"{what} is not loaded: {reason}", fix=fix)


def exposure(folder: Path, *files: Path) -> str:
    """Who else may write in a folder or one above it, or in some files, in words; empty where nobody may."""
    if not _POSIX:
        return ""
    try:
        place = folder.resolve()
    except (OSError, RuntimeError) as error:
        return f"{folder} cannot be followed: {error}"
    found = (*map(_own_exposure, (place, *files)), *map(_above, place.parents))
    return next(filter(None, found), "")


def make_private(folder: Path) -> None:
    """Make a folder and the missing ones above it, mode 700 whatever the umask; raises ``OSError``."""
    if folder.is_dir():
        return
    make_private(folder.parent)
    try:
        folder.mkdir(mode=_FOLDER)
    except FileExistsError:
        if not folder.is_dir():
            raise
        return
    if _POSIX:
        folder.chmod(_FOLDER)


def seal(folder: Path) -> None:
    """Give all that lies in a folder the modes 700 and 600; raises ``OSError``."""
    for place, folders, files in os.walk(folder):
        for names, mode in ((folders, _FOLDER), (files, _FILE)):
            for name in names:
                path = os.path.join(place, name)
                if not os.path.islink(path):
                    os.chmod(path, mode)


def _own_exposure(path: Path) -> str:
    """Who else may have written a file, or a folder's entries."""
    found = _status(path)
    if found is None:
        return ""
    if found.st_uid not in (os.geteuid(), 0):
        return f"{path} belongs to {_user(found.st_uid)}"
    return _writable(path, found)


def _above(path: Path) -> str:
    found = _status(path)
    if found is None:
        return ""
    if found.st_uid not in (os.geteuid(), 0, _unmapped()):
        return f"{path} belongs to {_user(found.st_uid)}"
    return "" if found.st_mode & stat.S_ISVTX else _writable(path, found)


def _writable(path: Path, found: os.stat_result) -> str:
    if found.st_mode & stat.S_IWOTH:
        return f"everybody may write {path}"
    if found.st_mode & stat.S_IWGRP and not _own_group(found.st_gid):
        return f"a group may write {path}"
    return ""


def _status(path: Path) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


@cache
def _own_group(gid: int) -> bool:
    """Whether a group is the user's alone, as most systems make one for each user; root's is root's."""
    if gid == 0:
        return True
    import grp
    import pwd

    try:
        group, user = grp.getgrgid(gid), pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    return group.gr_name == user.pw_name and user.pw_gid == gid and set(group.gr_mem) <= {user.pw_name}


@cache
def _unmapped() -> int:
    """The owner that a container shows for folders of users it does not know, root among them; 0 outside of one."""
    try:
        whole = Path("/proc/self/uid_map").read_text(encoding="ascii").split() == ["0", "0", str(2**32 - 1)]
        return 0 if whole else int(Path("/proc/sys/kernel/overflowuid").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0


def _user(uid: int) -> str:
    import pwd

    try:
        return f"user {pwd.getpwuid(uid).pw_name!r}"
    except KeyError:
        return f"user {uid}"
