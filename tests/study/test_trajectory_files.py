"""Files: nothing is lost, nothing is left half written, every refusal says what to do."""

import csv
import sys

import numpy as np
import pytest

from nsdgen.errors import ParameterError
from nsdgen.study import Column, Trajectory, files


def assert_identical(left: Trajectory, right: Trajectory) -> None:
    """Equal bit by bit: NaN payloads, signed zeros and denormals included."""
    assert left.model == right.model
    assert left.columns == right.columns
    assert list(left.attributes.items()) == list(right.attributes.items())
    assert left.time.tobytes() == right.time.tobytes()
    assert left.table.tobytes() == right.table.tobytes()
    assert left.table.dtype == right.table.dtype == np.dtype(float)


@pytest.fixture
def awkward() -> Trajectory:
    """Names and attributes that no file format likes."""
    columns = [
        Column("brück {1}.x/y[1]", "µm", "quer \N{GREEK SMALL LETTER XI}"),
        Column("brück {1}.x/y[0]", "m"),
        Column("br_ck {1}.x_y[0]", "m"),
        Column(" a.b "),
        Column("a.x_component"),
    ]
    attributes = {"mode": 1, "variables": {"é": float("inf")}, "ü": None, "ö": [], "model": "x"}
    table = np.arange(15.0).reshape(3, 5)
    return Trajectory("naïve $x$", [0.0, 0.5, 1.0], table, columns, attributes)


@pytest.mark.parametrize("suffix", [".nc", ".npz", ".NC"])
@pytest.mark.parametrize("which", ["trajectory", "awkward"])
def test_round_trips_are_exact(request, tmp_path, suffix, which):
    original = request.getfixturevalue(which)
    original.save(tmp_path / f"run{suffix}")
    assert_identical(Trajectory.load(tmp_path / f"run{suffix}"), original)


@pytest.mark.parametrize("suffix", [".nc", ".npz"])
@pytest.mark.parametrize("instants", [0, 1])
def test_short_records_round_trip(tmp_path, trajectory, suffix, instants):
    short = Trajectory("m", trajectory.time[:instants], trajectory.table[:instants], trajectory.columns)
    short.save(tmp_path / f"run{suffix}")
    assert_identical(Trajectory.load(tmp_path / f"run{suffix}"), short)


def test_csv_gives_the_same_doubles(tmp_path, trajectory):
    trajectory.save(tmp_path / "run.csv")
    with open(tmp_path / "run.csv", newline="", encoding="utf-8") as stream:
        heading, *rows = csv.reader(stream)
    assert heading[:4] == ["time [s]", "ball.z [m]", "ball.z_dot [m/s]", "table.gap [m]"]
    assert heading[-1] == "newton_iterations"
    numbers = np.array(rows, dtype=float)
    assert numbers[:, 0].tobytes() == trajectory.time.tobytes()
    np.testing.assert_array_equal(numbers[:, 1:], trajectory.table)
    assert np.signbit(numbers[4, 1])


def test_csv_of_many_rows_in_order(tmp_path, monkeypatch, trajectory):
    trajectory.save(tmp_path / "whole.csv")
    monkeypatch.setattr(files, "_ROWS", 3)
    trajectory.save(tmp_path / "blocks.csv")
    assert (tmp_path / "blocks.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_a_variable_too_large_for_netcdf_is_refused(tmp_path, monkeypatch, trajectory):
    monkeypatch.setattr("nsdgen.study.netcdf._LARGEST", 100)
    with pytest.raises(ParameterError, match=r"'brick\.position' takes 128 bytes"):
        trajectory.save(tmp_path / "run.nc")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["run.xlsx", "run"])
def test_unknown_suffixes(tmp_path, trajectory, name):
    with pytest.raises(ParameterError, match=r"ends with \.nc, \.npz, \.csv"):
        trajectory.save(tmp_path / name)
    with pytest.raises(ParameterError, match=r"ends with \.nc, \.npz"):
        Trajectory.load(tmp_path / name)


def test_places_that_cannot_be_written(tmp_path, trajectory):
    with pytest.raises(ParameterError, match="create the folder"):
        trajectory.save(tmp_path / "missing" / "run.nc")
    (tmp_path / "folder.nc").mkdir()
    with pytest.raises(ParameterError, match="not of a folder"):
        trajectory.save(tmp_path / "folder.nc")
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder.nc"]


def test_an_interrupted_save_leaves_the_old_file(tmp_path, trajectory):
    path = tmp_path / "run.npz"
    path.write_bytes(b"old")

    def killed():
        with files.whole_file(path) as stream:
            stream.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        killed()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", [".nc", ".npz"])
def test_damaged_and_foreign_files(tmp_path, trajectory, suffix):
    path = tmp_path / f"run{suffix}"
    with pytest.raises(ParameterError, match="there is no file"):
        Trajectory.load(path)
    trajectory.save(path)
    whole = path.read_bytes()
    for length in (0, 1, 4, 30, 200, len(whole) // 2, len(whole) - 20):
        path.write_bytes(whole[:length])
        with pytest.raises(ParameterError, match="damaged"):
            Trajectory.load(path)
    np.savez(tmp_path / "other.npz", a=1)
    with pytest.raises(ParameterError, match="no trajectory of nsdgen"):
        Trajectory.load(tmp_path / "other.npz")


def test_xarray_opens_the_file_as_the_dataset(tmp_path, trajectory):
    xarray = pytest.importorskip("xarray")
    trajectory.save(tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc") as opened:
        dataset = trajectory.dataset
        assert dataset.equals(opened)
        assert opened["brick.position"].dims == ("time", "position_component")
        assert opened["ball.z"].attrs["units"] == "m"
        assert opened["ball.z"].attrs["long_name"] == "height of the ball"
        assert opened["ball.z"].attrs["column"] == "ball.z"
        assert opened.attrs["model"] == "shaken_ball"
        assert opened.attrs["parameters"] == '{"m": 1.0}'


def test_the_dataset_has_units_and_coordinates(trajectory):
    pytest.importorskip("xarray")
    dataset = trajectory.dataset
    assert dataset["time"].attrs["units"] == "s"
    assert dataset["brick.position"].sel(position_component=1).values.tolist() == (
        trajectory["brick.position[1]"].tolist()
    )
    assert dataset["brick.twist"].attrs["units"] == "m/s, rad/s"
    # lam of left and of right have different components: no common dimension
    assert dataset["left.lam"].dims[1] == "left.lam_component"
    assert dataset["right.lam"].dims[1] == "right.lam_component"


def test_a_missing_xarray_is_explained(monkeypatch, trajectory):
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(ParameterError, match=r"pip install 'nsdgen\[data\]'"):
        _ = trajectory.dataset
