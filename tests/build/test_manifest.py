"""Records that hold while the files they were made from do."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from nsdgen.build.manifest import lookup, manifest_key, store

OPTIONS = {"scheme": "moreau-jean", "native": False}
VERSIONS = {"nsdgen": "0.1", "sympy": "1.14"}
RECORD = {"kernels": "0123", "names": ["q", "v"], "step": 0.001}


@pytest.fixture
def files(tmp_path, cache_folder) -> list[Path]:
    """A model file, a module that it imports, and a data file."""
    paths = [tmp_path / name for name in ("model.py", "parts.py", "cam.csv")]
    for path in paths:
        path.write_text(f"content of {path.name}")
    return paths


def stored(files: list[Path]) -> bool:
    return store(files[0], OPTIONS, VERSIONS, RECORD, files=files[1:])


def test_a_record_comes_back(files):
    assert lookup(files[0], OPTIONS, VERSIONS) is None
    assert stored(files)
    assert lookup(files[0], OPTIONS, VERSIONS) == RECORD


@pytest.mark.parametrize("index", range(3))
def test_a_changed_file_invalidates(files, index):
    stored(files)
    kept = files[index].read_text()
    files[index].write_text("something else")
    assert lookup(files[0], OPTIONS, VERSIONS) is None
    files[index].write_text(kept)
    assert lookup(files[0], OPTIONS, VERSIONS) == RECORD


@pytest.mark.parametrize("index", range(3))
def test_a_removed_file_invalidates(files, index):
    stored(files)
    files[index].unlink()
    assert lookup(files[0], OPTIONS, VERSIONS) is None


def test_touching_a_file_does_not_invalidate(files):
    stored(files)
    os.utime(files[0], (1, 1))
    assert lookup(files[0], OPTIONS, VERSIONS) == RECORD


def test_options_versions_and_place_are_part_of_the_key(files, tmp_path):
    stored(files)
    other = tmp_path / "copy.py"
    other.write_text(files[0].read_text())
    assert lookup(other, OPTIONS, VERSIONS) is None
    assert lookup(files[0], {**OPTIONS, "native": True}, VERSIONS) is None
    assert lookup(files[0], OPTIONS, {**VERSIONS, "sympy": "1.13"}) is None


def test_the_key_knows_neither_order_nor_spelling_of_the_path(files, monkeypatch):
    monkeypatch.chdir(files[0].parent)
    key = manifest_key(files[0], OPTIONS, VERSIONS)
    assert key == manifest_key(Path("model.py"), dict(reversed(OPTIONS.items())), VERSIONS)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"files": 3, "record": {}}', '{"files": [], "record": 1}'])
def test_a_corrupt_record_is_a_miss_and_is_replaced(files, cache_folder, content):
    stored(files)
    [path] = (cache_folder / "v1" / "manifest").iterdir()
    path.write_text(content)
    assert lookup(files[0], OPTIONS, VERSIONS) is None
    assert stored(files)
    assert lookup(files[0], OPTIONS, VERSIONS) == RECORD
    assert len(list(path.parent.iterdir())) == 1


def test_bytes_that_are_no_text_are_a_miss(files, cache_folder):
    stored(files)
    [path] = (cache_folder / "v1" / "manifest").iterdir()
    path.write_bytes(b"\xff\xfe\x00")
    assert lookup(files[0], OPTIONS, VERSIONS) is None


def test_a_file_edited_during_derivation_is_not_recorded(files):
    started = time.time_ns()
    os.utime(files[1], ns=(started + 10**9,) * 2)
    arguments = (files[0], OPTIONS, VERSIONS, RECORD)
    assert not store(*arguments, files=files[1:], started_ns=started)
    assert lookup(*arguments[:3]) is None
    assert store(*arguments, files=files[1:], started_ns=started + 2 * 10**9)


def test_a_cache_that_cannot_be_written_keeps_nothing(files, tmp_path):
    cache = tmp_path / "model.py" / "cache"
    assert not store(files[0], OPTIONS, VERSIONS, RECORD, cache=cache)
    assert lookup(files[0], OPTIONS, VERSIONS, cache=cache) is None


def test_a_record_that_json_cannot_hold(files, cache_folder):
    with pytest.raises(TypeError):
        store(files[0], OPTIONS, VERSIONS, {"x": object()})
    folder = cache_folder / "v1" / "manifest"
    assert not folder.exists() or list(folder.iterdir()) == []
