"""What a run keeps: every k-th step, chosen columns, and the refusal of what does not fit."""

import tracemalloc

import numpy as np
import pytest

from nsdgen.errors import ParameterError, StepError
from nsdgen.record.columns import Column, Columns
from nsdgen.record.step_record import Layout
from nsdgen.runtime import selection


def layout(*names):
    columns = Columns(Column(n) for n in (*names, "newton_iterations", "rank_deficiency"))
    return Layout((), (), (), (), (), len(names), len(columns), columns)


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["bead 1"], [2, 3]),
        (["z"], [0, 2]),
        (["bead *.z"], [0, 2]),
        (["*.impulse"], [4, 5]),
        (["impulse[1]"], [5]),
        (["touch.impulse"], [4, 5]),
        (["bead 1.z", "impulse[0]"], [2, 4]),
        (["*"], [0, 1, 2, 3, 4, 5]),
        ([], []),
        (["newton_iterations"], []),
        (["bead 1*"], [2, 3]),
    ],
)
def test_patterns(patterns, expected):
    where = layout("bead 0.z", "bead 0.z_dot", "bead 1.z", "bead 1.z_dot", "touch.impulse[0]", "touch.impulse[1]")
    assert selection.select(where, patterns, "model").tolist() == [*expected, 6, 7]


@pytest.mark.parametrize("patterns", ["z", ["zz"], ["bead 2"], ["beads *.z"], [3], ["impulse[2]"], ["bead.1"]])
def test_patterns_that_name_nothing(patterns):
    where = layout("bead 0.z", "bead 1.z", "touch.impulse[0]")
    with pytest.raises(ParameterError) as caught:
        selection.select(where, patterns, "model")
    assert caught.value.where == "record" and caught.value.fix


@pytest.mark.parametrize("every", [1, 2, 7, 400, 1000])
@pytest.mark.parametrize("record", [None, ["z", "floor"]])
def test_what_is_kept_is_what_was_computed(compiled, every, record):
    ball = compiled("bouncing_ball")
    whole = ball.run(end=2.0)
    kept = ball.run(end=2.0, every=every, record=record)
    places = sorted({*range(0, len(whole), every), len(whole) - 1})
    np.testing.assert_array_equal(kept.time, whole.time[places])
    for name in kept.names:
        np.testing.assert_array_equal(kept[name], whole[name][places])
    assert kept.names == (whole.names if record is None else tuple(n for n in whole.names if n != "ball.z_dot"))
    assert kept.attributes.get("every", 1) == every


@pytest.mark.parametrize("steps", [1, 2, 127, 128, 129, 258])
def test_what_is_kept_where_blocks_of_steps_end(compiled, steps):
    ball = compiled("bouncing_ball")
    end = steps * ball.record.step
    whole, kept = ball.run(end=end), ball.run(end=end, every=3, record=["z"])
    places = sorted({*range(0, steps + 1, 3), steps})
    np.testing.assert_array_equal(kept.time, whole.time[places])
    np.testing.assert_array_equal(kept["z"], whole["z"][places])


def test_an_interrupt_carries_what_was_kept(compiled):
    from nsdgen.runtime.simulation import simulate
    from nsdgen.runtime.values import run_values

    ball = compiled("bouncing_ball")

    def stop(done, total, time):
        if time > 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        simulate(ball.record, ball.table, run_values(ball.record, ball.table, end=100.0), stop, every=10, columns=["z"])
    recording = caught.value.recording
    assert 3 / 0.05 <= len(recording.time) < 2000 and recording.table.shape[1] == len(recording.columns) == 3


def test_an_interrupt_copies_nothing(compiled):
    """To copy what was recorded takes seconds for gigabytes: a run that was interrupted after 1.5 s ended 4 s later."""
    from nsdgen.runtime.simulation import simulate
    from nsdgen.runtime.values import run_values

    ball = compiled("bouncing_ball")

    def stop(done, total, time):
        if done > total / 2:
            raise KeyboardInterrupt

    tracemalloc.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        simulate(ball.record, ball.table, run_values(ball.record, ball.table, end=3e5 * ball.record.step), stop)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    recording = caught.value.recording
    assert len(recording.time) > 1.5e5 and recording.table.shape == (len(recording.time), len(recording.columns))
    assert peak < 1.1 * 8 * 300_001 * (len(recording.columns) + 1)


def test_a_run_that_does_not_fit_is_refused(compiled, monkeypatch):
    ball = compiled("bouncing_ball")
    monkeypatch.setattr(selection, "free_memory", lambda: 100_000)
    with pytest.raises(
        ParameterError, match=r"20001 instants of 8 values do not fit .* 1.44 MB, 100000 bytes are free"
    ) as caught:
        ball.run(end=100.0)
    assert "every=29" in caught.value.fix and "record=" in caught.value.fix
    assert len(ball.run(end=100.0, every=29, record=["z"])) == 691


@pytest.mark.parametrize("every", [0, -1, 2.5, True, "3"])
def test_every_is_a_number_of_steps(compiled, every):
    with pytest.raises(ParameterError, match="every is"):
        compiled("bouncing_ball").run(end=1.0, every=every)


def test_a_failure_keeps_what_was_reached(compiled):
    ball = compiled("bouncing_ball")
    with pytest.raises(StepError) as caught:
        ball.run(end=1.0, every=2, parameters={"m": 0.0})
    assert caught.value.trajectory.time.tolist() == [0.0]
