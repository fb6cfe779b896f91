"""Looking things up: names, vectors, units, what is refused and what the message says."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import nsdgen
from nsdgen.errors import ParameterError
from nsdgen.record.columns import split_name
from nsdgen.study import Column, Trajectory


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("ball.z", ("ball", "z", None)),
        ("bridge.lam[2]", ("bridge", "lam", 2)),
        ("bead[3].q[10]", ("bead[3]", "q", 10)),
        ("corner 1.impulse", ("corner 1", "impulse", None)),
        ("newton_iterations", ("", "newton_iterations", None)),
        ("position[0]", ("", "position", 0)),
        ("ball.x[a]", ("ball", "x[a]", None)),
        ("ball.x[01]", ("ball", "x[01]", None)),
    ],
)
def test_names_split_at_the_first_dot_and_the_last_bracket(name, parts):
    assert split_name(name) == parts


def test_a_column_is_a_read_only_view(trajectory):
    column = trajectory["table.gap"]
    assert column.shape == (8,)
    assert np.shares_memory(column, trajectory.table)
    with pytest.raises(ValueError, match="read-only"):
        column[0] = 1.0


def test_vectors_come_in_component_order(trajectory):
    np.testing.assert_array_equal(trajectory["brick.position"], trajectory.table[:, [5, 4]])
    np.testing.assert_array_equal(trajectory["brick.twist"], trajectory.table[:, 6:8])
    assert trajectory["right.lam"].shape == (8, 1)
    assert np.shares_memory(trajectory["left.lam"], trajectory.table)


@pytest.mark.parametrize(
    ("bare", "full"),
    [("gap", "table.gap"), ("position", "brick.position"), ("position[1]", "brick.position[1]")],
)
def test_bare_names_where_unique(trajectory, bare, full):
    np.testing.assert_array_equal(trajectory[bare], trajectory[full])
    assert bare in trajectory


def test_a_bare_component_can_be_unique_where_the_vector_is_not(trajectory):
    np.testing.assert_array_equal(trajectory["lam[1]"], trajectory["left.lam[1]"])
    with pytest.raises(ParameterError, match=r"2 quantities: left\.lam, right\.lam"):
        trajectory["lam"]
    assert "lam" not in trajectory


def test_unknown_names_list_close_ones(trajectory):
    with pytest.raises(ParameterError, match=r"model 'shaken_ball'.*'ball\.zdot'") as caught:
        trajectory["ball.zdot"]
    assert "ball.z_dot" in caught.value.fix
    with pytest.raises(ParameterError) as caught:
        trajectory["#####"]
    assert "ball.z, ball.z_dot" in caught.value.fix


def test_numbers_are_no_names(trajectory):
    with pytest.raises(ParameterError, match="by name, not by 0"):
        trajectory[0]


def test_long_lists_of_candidates_are_cut():
    columns = [Column(f"bead {k}.z") for k in range(50)]
    trajectory = Trajectory("chain", np.zeros(1), np.zeros((1, 50)), columns)
    with pytest.raises(ParameterError, match=r"bead 7\.z and 42 more"):
        trajectory["z"]


def test_units(trajectory):
    assert trajectory.unit("z_dot") == "m/s"
    assert trajectory.unit("position") == "m"
    assert trajectory.unit("newton_iterations") == ""
    with pytest.raises(ParameterError, match="different units: m/s, rad/s"):
        trajectory.unit("twist")


def test_length_names_final(trajectory):
    assert len(trajectory) == 8
    assert list(trajectory) == list(trajectory.names)
    assert trajectory.final["ball.z"] == 1 / 3
    assert trajectory.final.keys() == set(trajectory.names)
    assert trajectory.final["z"] == 1 / 3 and type(trajectory.final["z"]) is float
    assert (trajectory.final["twist"] == trajectory["twist"][-1]).all()
    with pytest.raises(ParameterError, match="'zz'"):
        trajectory.final["zz"]


def test_an_empty_record_has_no_final_value():
    empty = Trajectory("ball", np.zeros(0), np.zeros((0, 1)), [Column("ball.z")])
    assert "no instants" in repr(empty)
    with pytest.raises(ParameterError, match="nothing was recorded"):
        _ = empty.final


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["a.x", "a.x"], "two columns are called 'a.x'"),
        (["a.x", "a.x[0]"], "both as a scalar and as a vector"),
        (["a.x"], r"table of shape \(3, 2\) does not fit"),
    ],
)
def test_what_cannot_be_a_trajectory(columns, message):
    with pytest.raises(ParameterError, match=message):
        Trajectory("bad", np.zeros(3), np.zeros((3, 2)), [Column(name) for name in columns])


@pytest.mark.parametrize("name", ["", "time", "ball."])
def test_what_cannot_be_a_column(name):
    with pytest.raises(ParameterError, match="cannot name a column"):
        Column(name)


def test_attributes_become_what_json_can_hold():
    given = {"step": np.float64(0.1), "n": np.int64(3), "q": np.arange(2), 1: (object,)}
    kept = Trajectory("a", np.zeros(0), np.zeros((0, 0)), [], given).attributes
    assert kept == {"step": 0.1, "n": 3, "q": [0, 1], "1": ["<class 'object'>"], "nsdgen": nsdgen.__version__}
    assert type(kept["step"]) is float


def test_the_version_that_made_a_record_stays():
    old = Trajectory("a", np.zeros(0), np.zeros((0, 0)), [], {"nsdgen": "0.0.7"})
    assert old.attributes == {"nsdgen": "0.0.7"}


def test_a_trajectory_pickles(trajectory):
    copy = pickle.loads(pickle.dumps(trajectory))
    assert copy.table.tobytes() == trajectory.table.tobytes()
    assert not copy.table.flags.writeable
    assert (copy.columns, copy.attributes) == (trajectory.columns, trajectory.attributes)


def test_text_and_html_summaries(trajectory):
    assert repr(trajectory).startswith("<Trajectory of 'shaken_ball': 8 instants from 0 to 0.7 s")
    column = Column("a.<b>", "m", "x & y")
    html = Trajectory("<m>", [0.0], [[2.5]], [column])._repr_html_()
    assert "<strong>&lt;m&gt;</strong>" in html
    assert "<td>a.&lt;b&gt;</td><td>m</td><td>2.5</td>" in html
    assert "<td>x &amp; y</td>" in html


def test_the_package_imports_nothing_heavy():
    code = (
        "import sys, nsdgen.study as s; s.Trajectory, s.Progress, s.Column;"
        "print(sorted({'sympy', 'matplotlib', 'xarray', 'scipy'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
