"""What is known about a model file that has not changed since.

A record is found by the path of the model file, the options and the versions, and is
given back only while the model file, every local module it imported and every data
file it depends on still have the content that they had. On a hit no model file is
executed. A record that cannot be read, is damaged (it carries a checksum), or was never written, only costs time.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nsdgen.base.whole_file import replaced_file

from .cache import KEY_LENGTH, Cache, file_hash, json_text, open_cache
from .ownership import exposure, make_private


def manifest_key(model_file: Path, options: Mapping[str, Any], versions: Mapping[str, str]) -> str:
    """The name of a record; ``options`` must be values that JSON can hold."""
    parts = {"model": str(Path(model_file).resolve()), "options": dict(options), "versions": dict(versions)}
    canonical = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()[:KEY_LENGTH]


def lookup(
    model_file: Path, options: Mapping[str, Any], versions: Mapping[str, str], *, cache: Path | None = None
) -> dict[str, Any] | None:
    """The stored record, or None if there is none, it is damaged, or one of its files has changed.

    Raises ``NotTrusted`` where others may write in the cache.
    """
    store_ = open_cache(cache)
    path = _path(manifest_key(model_file, options, versions), store_)
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
        sound = entry["sha256"] == _checksum(entry["files"], entry["record"])
        fresh = sound and all(file_hash(Path(name)) == digest for name, digest in entry["files"])
        record = entry["record"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    if not fresh or not isinstance(record, dict) or exposure(path.parent, path):
        return None
    store_.check()
    return record


def store(
    model_file: Path,
    options: Mapping[str, Any],
    versions: Mapping[str, str],
    record: Mapping[str, Any],
    *,
    files: Iterable[Path] = (),
    started_ns: int | None = None,
    cache: Path | None = None,
) -> bool:
    """Keep a record (JSON values); gives whether it was kept.

    ``files`` are the local modules and data files besides the model file. With
    ``started_ns`` (``time.time_ns()`` before the model file was executed) nothing is
    kept if one of them was changed since: the record would belong to the old content
    and the hash to the new. Raises ``TypeError`` for a record that JSON cannot hold.
    """
    paths = sorted({Path(file).resolve() for file in (model_file, *files)})
    key = manifest_key(model_file, options, versions)
    try:
        if started_ns is not None and any(p.stat().st_mtime_ns > started_ns for p in paths):
            return False
        hashes = [[str(path), file_hash(path)] for path in paths]
        content = {"files": hashes, "record": dict(record)}
        _write(_path(key, open_cache(cache)), {**content, "sha256": _checksum(**content)})
    except OSError:
        return False
    return True


def _path(key: str, cache: Cache) -> Path:
    return cache.root / "manifest" / f"{key}.json"


def _checksum(files: Any, record: Any) -> str:
    """Of all that an entry says, as JSON spells it."""
    return hashlib.sha256(json.dumps([files, record], sort_keys=True).encode()).hexdigest()


def _write(path: Path, entry: Mapping[str, Any]) -> None:
    make_private(path.parent)
    with replaced_file(path, 0o600, keep=False) as file:
        file.write(json_text(entry).encode())
