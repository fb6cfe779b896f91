"""The cache under stress: many processes, killed processes, broken entries."""

from __future__ import annotations

import fcntl
import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from nsdgen.build.cache import cache_root, open_cache
from nsdgen.build.compile import compile_source
from nsdgen.build.loader import load_module
from nsdgen.errors import CompilerMissing


def entries(folder: Path) -> list[Path]:
    return [p for p in (folder / "v1").iterdir() if len(p.name) == 32]


def leftovers(folder: Path) -> list[Path]:
    return list((folder / "v1").glob("tmp-*"))


@pytest.mark.parametrize("patience", [60.0, 0.0], ids=["waiting", "racing"])
def test_processes_that_build_the_same_text(build_elsewhere, wrapped_compiler, cache_folder, tmp_path, patience):
    workers = [build_elsewhere(patience, CC=str(wrapped_compiler)) for _ in range(4)]
    answers = [worker.communicate(timeout=50) for worker in workers]
    assert [errors for _, errors in answers] == [""] * 4
    assert len({output for output, _ in answers}) == 1
    assert answers[0][0].endswith(" 8.0\n")
    assert len(entries(cache_folder)) == 1
    assert leftovers(cache_folder) == []
    if patience:
        assert (tmp_path / "runs").read_text().count("run") == 1


def start_and_kill(build_elsewhere, wrapped_compiler, tmp_path):
    """Kill a build with all its children while the compiler runs."""
    worker = build_elsewhere(CC=str(wrapped_compiler), STALL="yes")
    while not (tmp_path / "runs").exists():
        assert worker.poll() is None, worker.communicate()
        time.sleep(0.02)
    os.killpg(worker.pid, signal.SIGKILL)
    worker.communicate()


def test_a_killed_build_leaves_no_entry_and_no_lock(
    build_elsewhere, wrapped_compiler, tmp_path, source, options, cache_folder, monkeypatch
):
    start_and_kill(build_elsewhere, wrapped_compiler, tmp_path)
    assert entries(cache_folder) == []
    [left] = leftovers(cache_folder)
    monkeypatch.setenv("CC", str(wrapped_compiler))
    path = compile_source(source, options=replace(options, patience=1e9))
    assert load_module(path).call(4.0) == 8.0
    assert left.exists()  # an hour has not passed


def test_leftovers_are_swept_when_old_and_their_process_is_gone(
    build_elsewhere, wrapped_compiler, tmp_path, source, options, cache_folder
):
    start_and_kill(build_elsewhere, wrapped_compiler, tmp_path)
    [dead] = leftovers(cache_folder)
    ours = dead.with_name(f"tmp-{os.getpid()}-abc")
    ours.mkdir()
    for folder in (dead, ours):
        os.utime(folder, (time.time() - 7200,) * 2)
    compile_source(source, options=options)
    assert leftovers(cache_folder) == [ours]


def test_an_interrupted_build_cleans_up(source, options, cache_folder, monkeypatch):
    def interrupt(*arguments, **keywords):
        raise KeyboardInterrupt

    monkeypatch.setattr("nsdgen.build.compile.run_compiler", interrupt)
    with pytest.raises(KeyboardInterrupt):
        compile_source(source, options=options)
    assert entries(cache_folder) == leftovers(cache_folder) == []


def test_a_lock_that_is_never_released_only_costs_patience(source, options, cache_folder):
    locks = cache_folder / "v1" / "locks"
    locks.mkdir(parents=True)
    handles = [os.open(locks / f"{n:02x}.lock", os.O_CREAT | os.O_RDWR) for n in range(256)]
    try:
        for handle in handles:
            fcntl.flock(handle, fcntl.LOCK_EX)
        path = compile_source(source, options=replace(options, patience=0.05))
    finally:
        for handle in handles:
            os.close(handle)
    assert load_module(path).call(4.0) == 8.0


def truncate(entry: Path, shared: Path) -> None:
    shared.write_bytes(shared.read_bytes()[:1000])


def flip_a_byte(entry: Path, shared: Path) -> None:
    data = bytearray(shared.read_bytes())
    data[len(data) // 2] ^= 1
    shared.write_bytes(data)


def remove_shared_object(entry: Path, shared: Path) -> None:
    shared.unlink()


def empty_log(entry: Path, shared: Path) -> None:
    (entry / "log.json").write_text("")


def log_of_another_kind(entry: Path, shared: Path) -> None:
    (entry / "log.json").write_text("[1, 2]")


def a_file_in_place_of_the_entry(entry: Path, shared: Path) -> None:
    entry.rename(entry.with_name("elsewhere"))
    entry.write_text("not a folder")


@pytest.mark.parametrize(
    "spoil",
    [
        truncate,
        flip_a_byte,
        remove_shared_object,
        empty_log,
        log_of_another_kind,
        a_file_in_place_of_the_entry,
    ],
)
def test_a_corrupt_entry_is_rebuilt(source, options, cache_folder, spoil):
    path = compile_source(source, options=options)
    spoil(path.parent, path)
    assert open_cache(cache_folder).find(path.parent.name, path.name) is None
    assert compile_source(source, options=options) == path
    assert load_module(path).call(4.0) == 8.0
    assert len(entries(cache_folder)) == 1
    assert leftovers(cache_folder) == []


def test_the_loser_of_a_race_uses_the_winners_entry(source, options, cache_folder):
    path = compile_source(source, options=options)
    inode = path.stat().st_ino
    cache = open_cache(cache_folder)
    with cache.workspace() as folder:
        (folder / path.name).write_text("the loser's")
        assert cache.publish(folder, path.parent.name, path.name) == path
    assert path.stat().st_ino == inode
    assert leftovers(cache_folder) == []


def test_an_unwritable_cache_is_named_with_a_fix(source, options, tmp_path):
    (tmp_path / "file").write_text("")
    nowhere = tmp_path / "file" / "cache"
    with pytest.raises(CompilerMissing, match="no place to keep compiled kernels") as caught:
        compile_source(source, options=replace(options, cache=nowhere))
    assert str(nowhere) in str(caught.value)
    assert "NSDGEN_CACHE" in caught.value.fix


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind root")
def test_a_folder_without_permission_is_unwritable(source, options, tmp_path):
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    with pytest.raises(CompilerMissing, match="Permission denied"):
        compile_source(source, options=replace(options, cache=locked / "cache"))


def test_a_full_disk_is_told_as_such(source, options, monkeypatch):
    def refuse(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("nsdgen.build.compile.write_json", refuse)
    with pytest.raises(CompilerMissing, match="No space left on device"):
        compile_source(source, options=options)


def test_the_place_of_the_cache():
    assert cache_root({"NSDGEN_CACHE": "/some/where"}) == Path("/some/where")
    assert cache_root({"NSDGEN_CACHE": "~/x"}) == Path.home() / "x"
    assert cache_root({"NSDGEN_CACHE": "x"}) == Path.cwd() / "x"
    assert cache_root({}).name == "nsdgen"
