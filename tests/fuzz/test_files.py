"""Damaged trajectory files: what is loaded is what was saved, bit by bit, or the file is refused by name."""

import random
import warnings

import numpy as np
import pytest
from mutations import spoilt

from nsdgen.errors import ParameterError
from nsdgen.study import Column, Trajectory

SMALL, LARGE = 400, 20_000


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A trajectory and its file, for each format that is read."""
    rng = np.random.default_rng(0)
    columns = [
        Column("ball.z", "m", "state"),
        *(Column(f"brick.position[{i}]", "m") for i in range(3)),
        Column("newton_iterations"),
    ]
    attributes = {"step": 0.1, "parameters": {"g": 9.81, "m": 1.0}, "scheme": [{"scheme": "MoreauJean", "theta": 0.5}]}
    run = Trajectory("fuzz", np.arange(40) * 0.1, rng.normal(size=(40, 5)), columns, attributes)
    folder = tmp_path_factory.mktemp("files")
    for suffix in (".nc", ".npz"):
        run.save(folder / f"run{suffix}")
    return run, folder


def same(a, b):
    return (
        a.model == b.model
        and a.columns == b.columns
        and dict(a.attributes) == dict(b.attributes)
        and a.time.tobytes() == b.time.tobytes()
        and a.table.tobytes() == b.table.tobytes()
    )


def tried(saved, suffix, seeds):
    run, folder = saved
    whole = (folder / f"run{suffix}").read_bytes()
    path = folder / f"damaged{suffix}"
    for seed in seeds:
        rng = random.Random(f"{suffix} {seed}")
        content = whole
        for _ in range(rng.choice((1, 1, 2, 5))):
            content = spoilt(content, rng)
        path.write_bytes(content)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = Trajectory.load(path)
        except ParameterError as error:
            assert "damaged" in str(error)  # noqa: PT017
        else:
            assert same(found, run), f"seed {seed} of {suffix} gives other numbers"


@pytest.mark.parametrize("suffix", [".nc", ".npz"])
def test_damaged_files(saved, suffix):
    tried(saved, suffix, range(SMALL))


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".nc", ".npz"])
def test_many_damaged_files(saved, suffix):
    tried(saved, suffix, range(SMALL, LARGE))


@pytest.mark.parametrize("suffix", [".nc", ".npz"])
def test_a_bit_of_every_byte(saved, suffix):
    """No flipped bit anywhere changes a number silently: every third byte of the file is tried."""
    run, folder = saved
    whole, path = (folder / f"run{suffix}").read_bytes(), folder / f"flipped{suffix}"
    for i in range(0, len(whole), 3):
        path.write_bytes(whole[:i] + bytes([whole[i] ^ 1 << i % 8]) + whole[i + 1 :])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = Trajectory.load(path)
        except ParameterError:
            continue
        assert same(found, run), f"byte {i} of {len(whole)}"


def test_files_of_versions_before_checksums_are_read(saved, tmp_path):
    from scipy.io import netcdf_file

    run, folder = saved
    with (
        netcdf_file(folder / "run.nc", "r", mmap=False) as file,
        netcdf_file(tmp_path / "old.nc", "w", version=2) as old,
    ):
        for name, size in file.dimensions.items():
            old.createDimension(name, size)
        for name, variable in file.variables.items():
            copy = old.createVariable(name, variable.data.dtype, variable.dimensions)
            copy[:] = variable.data
            for key, value in variable._attributes.items():
                if key != "sha256":
                    setattr(copy, key, value)
        for key, value in file._attributes.items():
            if key != "sha256":
                setattr(old, key, value)
    assert same(Trajectory.load(tmp_path / "old.nc"), run)
