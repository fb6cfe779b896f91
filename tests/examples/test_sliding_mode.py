"""The sliding-mode example: reaching, chattering of the explicit loop, none of the implicit one."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def run(compiled):
    return compiled("sliding_mode").run()


def test_both_reach_the_surface_at_the_same_time(run):
    for name in ("explicit", "implicit"):
        first = run.time[np.flatnonzero(np.abs(run[f"{name}.sigma"]) < 0.05)[0]]
        assert first == pytest.approx(1.0, abs=0.06)


def test_the_implicit_controller_stays_on_the_surface_without_chattering(run):
    """sigma at an instant is what the disturbance did in the last period, to the second order of the nominal step."""
    late = run.time > 3
    assert np.abs(run["implicit.sigma"][late]).max() < 0.5 * 0.05 * 1.1
    assert np.abs(run["implicit.u_implicit"][late]).max() < 0.6
    switches = np.count_nonzero(np.diff(np.sign(run["explicit.u_explicit"][late])))
    assert switches > 60 and np.abs(run["explicit.sigma"][late]).max() > 0.05


def test_a_shorter_period_tightens_the_implicit_loop_in_proportion(compiled):
    model = compiled("sliding_mode")
    runs = [model.run(parameters={"implicit.period": h, "explicit.period": h}) for h in (0.04, 0.02)]
    wide, tight = (np.abs(r["implicit.sigma"][r.time > 3]).max() for r in runs)
    assert wide / tight == pytest.approx(2, rel=0.1)
