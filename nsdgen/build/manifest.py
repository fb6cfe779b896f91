"""What is known about a model file that has not changed since.

A record is found by the path of the model file, the options and the versions, and is
given back only while the model file, every local module it imported and every data
file it depends on still have the content that they had. On a hit no model file is
executed. A record that cannot be read, or was never written, only costs time.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .cache import file_hash, open_cache, write_json

__all__ = ["lookup", "manifest_key", "store"]

_KEY_LENGTH = 32


def manifest_key(model_file: Path, options: Mapping[str, Any], versions: Mapping[str, str]) -> str:
    """The name of a record; ``options`` must be values that JSON can hold."""
    parts = {
        "model": str(Path(model_file).resolve()),
        "options": dict(options),
        "versions": dict(versions),
    }
    canonical = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()[:_KEY_LENGTH]


def lookup(
    model_file: Path,
    options: Mapping[str, Any],
    versions: Mapping[str, str],
    *,
    cache: Path | None = None,
) -> dict[str, Any] | None:
    """The stored record, or None if there is none or one of its files has changed."""
    path = _path(manifest_key(model_file, options, versions), cache)
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
        fresh = all(file_hash(Path(name)) == digest for name, digest in entry["files"])
        record = entry["record"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return record if fresh and isinstance(record, dict) else None


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
        _write(_path(key, cache), {"files": hashes, "record": dict(record)})
    except OSError:
        return False
    return True


def _path(key: str, cache: Path | None) -> Path:
    return open_cache(cache).root / "manifest" / f"{key}.json"


def _write(path: Path, entry: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Ends with .tmp, so that a half-written file is never taken for a record.
    temporary = path.with_name(f"{path.stem}-{secrets.token_hex(6)}.tmp")
    try:
        write_json(temporary, entry)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
