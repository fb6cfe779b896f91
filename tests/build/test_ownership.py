"""Code is loaded only from places in which nobody else can have put it; damage costs time, nothing else."""

from __future__ import annotations

import json
import os
import random
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from nsdgen.build.cache import open_cache
from nsdgen.build.compile import compile_source
from nsdgen.build.doctor import examine
from nsdgen.build.manifest import lookup, store
from nsdgen.build.ownership import exposure, make_private
from nsdgen.errors import NotTrusted
from nsdgen.study.compiled_model import open_package

pytestmark = pytest.mark.skipif(os.name != "posix", reason="POSIX permissions")
ROOT_ONLY = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
STRANGER = 12345


@pytest.fixture
def package(tmp_path: Path) -> Path:
    place = tmp_path / "packages" / "diode_bridge"
    source = Path(__file__).resolve().parents[2] / "generated" / "diode_bridge"
    shutil.copytree(source, place, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    return place


def modes(folder: Path) -> dict[str, int]:
    return {str(p.relative_to(folder)): stat.S_IMODE(p.stat().st_mode) for p in folder.rglob("*")}


def _slow(value):
    """A case that another one of the default suite stands for."""
    return pytest.param(value, marks=pytest.mark.slow)


@pytest.mark.parametrize("umask", [0o000, 0o002, 0o022, 0o077, 0o177])
def test_the_cache_is_made_for_its_owner_alone(source, options, cache_folder, umask):
    before = os.umask(umask)
    try:
        compile_source(source, options=options)
        model = cache_folder.parent / "model.py"
        model.write_text("")
        model.chmod(0o600)
        assert store(model, {}, {}, {"a": 1}) and lookup(model, {}, {}) == {"a": 1}
    finally:
        os.umask(before)
    found = modes(cache_folder)
    assert set(found.values()) == {0o700, 0o600} and stat.S_IMODE(cache_folder.stat().st_mode) == 0o700
    assert all((mode == 0o700) == (cache_folder / name).is_dir() for name, mode in found.items())


@pytest.mark.parametrize("mode", [0o777, 0o772, 0o707, 0o1777])
@pytest.mark.parametrize("place", ["", "v1"])
def test_a_cache_in_which_others_write_is_not_used(source, options, cache_folder, mode, place):
    compile_source(source, options=options)
    (cache_folder / place).chmod(mode)
    above = mode == 0o1777 and not place  # sticky, and what lies in it is ours
    for use in (lambda: compile_source(source, options=options), open_cache(cache_folder).workspace().__enter__):
        if above:
            use()
        else:
            with pytest.raises(NotTrusted, match="everybody may write"):
                use()
    cache = next(f for f in examine() if f.name == "cache")
    assert cache.ok == above
    assert above or ("everybody may write" in cache.found and "makes it anew" in cache.fix)


@ROOT_ONLY
@pytest.mark.parametrize("place", ["", "v1", ".."])
def test_a_cache_of_somebody_else_is_not_used(source, options, cache_folder, place):
    compile_source(source, options=options)
    os.chown(cache_folder / place, STRANGER, STRANGER)
    try:
        with pytest.raises(NotTrusted, match=f"belongs to user {STRANGER}"):
            compile_source(source, options=options)
    finally:
        os.chown(cache_folder / place, 0, 0)


@ROOT_ONLY
def test_an_entry_of_somebody_else_is_built_again(source, options, cache_folder):
    entry = compile_source(source, options=options).parent
    os.chown(entry, STRANGER, STRANGER)
    again = compile_source(source, options=options)
    assert again.parent == entry and entry.stat().st_uid == 0


def test_a_group_counts_as_others_unless_it_is_the_users_own(tmp_path):
    place = tmp_path / "shared"
    place.mkdir(mode=0o770)
    place.chmod(0o770)
    assert exposure(place) == "" or os.geteuid() != 0  # root's own group
    if os.geteuid() == 0:
        os.chown(place, 0, STRANGER)
        assert exposure(place) == f"a group may write {place}"
        place.chmod(0o750)
        assert exposure(place) == ""


def test_links_are_judged_by_what_they_lead_to(tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "link").symlink_to(tmp_path / "open")
    assert "everybody may write" in exposure(tmp_path / "link")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    exposure(tmp_path / "loop")  # no error of its own
    make_private(tmp_path / "a" / "b")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "part", ["", "_module.pxi", *map(_slow, ["..", "model.json", "_kernels.pyx", "nsdgen_step.h"])]
)
def test_a_package_in_which_others_write_is_not_loaded(package, part, cache_folder):
    assert len(open_package(package).run(end=1e-4))
    (package / part).chmod(0o777)
    with pytest.raises(NotTrusted, match=r"the package .* is not loaded: everybody may write"):
        open_package(package)


@ROOT_ONLY
def test_a_package_of_somebody_else_is_not_loaded(package, cache_folder):
    os.chown(package / "_kernels.pyx", STRANGER, STRANGER)
    with pytest.raises(NotTrusted, match=f"belongs to user {STRANGER}"):
        open_package(package)


def test_a_package_written_without_umask_is_its_owners(package, tmp_path, compiled):
    from nsdgen.emit.package import write_package

    model = compiled("bouncing_ball")
    before = os.umask(0)
    try:
        place = write_package(tmp_path / "new" / "place", model.record, model.text, None)
    finally:
        os.umask(before)
    assert exposure(place) == "" and not any(mode & 0o022 for mode in modes(tmp_path / "new").values())


def run(folder: Path, cache: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "nsdgen", "run", "ball.py", "--end", "0.2"],
        cwd=folder,
        text=True,
        capture_output=True,
        env={**os.environ, "NSDGEN_CACHE": str(cache), **environ},
    )


@pytest.fixture(scope="module")
def remembered(tmp_path_factory) -> tuple[Path, Path, str]:
    """A folder with a model, a cache that remembers it, and the last line that a run prints."""
    folder = tmp_path_factory.mktemp("remembered")
    text = (Path(__file__).resolve().parents[2] / "examples" / "bouncing_ball.py").read_text(encoding="utf-8")
    (folder / "ball.py").write_text(text, encoding="utf-8")
    cache = folder / "cache"
    first = run(folder, cache)
    assert first.returncode == 0, first.stderr
    assert list((cache / "v1" / "manifest").glob("*.json"))
    return folder, cache, first.stdout.split("ball.z ")[1].split("\n")[0]


def damaged(content: bytes, rng: random.Random) -> bytes:
    """One of the ways in which a file is spoilt."""
    at = rng.randrange(len(content))
    kind = rng.randrange(6)
    if kind == 0:
        return content[:at]
    if kind == 1:
        return b""
    if kind == 2:
        return content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :]
    if kind == 3:  # another digit
        digits = [i for i, c in enumerate(content) if chr(c).isdigit()]
        at = rng.choice(digits)
        return content[:at] + (b"8" if content[at : at + 1] != b"8" else b"1") + content[at + 1 :]
    if kind == 4:
        return content[:at] + content[at : at + 40] * 2 + content[at:]
    return b"[" * 100_000


@pytest.mark.parametrize("which", ["manifest", "shared object", *map(_slow, ["log.json", "_kernels.pyx"])])
@pytest.mark.parametrize("seed", [0, pytest.param(range(1, 12), marks=pytest.mark.slow)], ids=["one", "more"])
def test_damage_costs_time_and_nothing_else(remembered, which, seed):
    folder, cache, told = remembered
    for number in [seed] if isinstance(seed, int) else seed:
        rng = random.Random(f"{which} {number}")
        found = {
            "manifest": "manifest/*.json",
            "log.json": "*/log.json",
            "_kernels.pyx": "[0-9a-f]*/*.pyx",
            "shared object": "[0-9a-f]*/*.so",
        }[which]
        file = sorted((cache / "v1").glob(found))[0]
        file.write_bytes(damaged(file.read_bytes(), rng))
        done = run(folder, cache)
        assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
        assert done.stdout.split("ball.z ")[1].split("\n")[0] == told


def test_a_digit_changed_in_what_is_remembered_is_seen(remembered):
    folder, cache, told = remembered
    run(folder, cache)
    [file] = (cache / "v1" / "manifest").glob("*.json")
    text = file.read_text(encoding="utf-8")
    assert "9.81" in text
    file.write_text(text.replace("9.81", "0.81"), encoding="utf-8")
    assert run(folder, cache).stdout.split("ball.z ")[1].split("\n")[0] == told
    assert "9.81" in file.read_text(encoding="utf-8")  # written again


def test_the_compiler_is_part_of_what_is_remembered_and_flags_are_said_to_be_ignored(remembered, tmp_path):
    from nsdgen.build.toolchain import find_compiler

    folder, cache, _ = remembered
    wrapper = tmp_path / "other-cc"
    wrapper.write_text(
        f"#!/bin/sh\n[ \"$1\" = --version ] || echo run >> '{tmp_path}/runs'\nexec '{find_compiler()[0]}' \"$@\"\n"
    )
    wrapper.chmod(0o755)
    assert run(folder, cache, CC=str(wrapper), CFLAGS="-ffast-math").returncode == 0
    assert (tmp_path / "runs").exists(), "the kernels of another compiler were used"
    said = subprocess.run(
        [sys.executable, "-m", "nsdgen", "doctor"],
        text=True,
        capture_output=True,
        env={**os.environ, "CFLAGS": "-ffast-math", "NSDGEN_CACHE": str(cache)},
    ).stdout
    assert "CFLAGS" in said and "ignored" in said
    logs = [json.loads(p.read_text()) for p in cache.glob("v1/*/log.json")]
    assert not any("-ffast-math" in step["command"] for log in logs for step in log["steps"])
