"""Relays, controllers and accumulating switchings from event to event, beside motions that nsdgen has no part in.

Forty models of each class, drawn at random in units of their own (``switching_models.py``, ``controller_models.py``,
``accumulating_models.py``):
all events and all recorded states. A run that is not done in time is a failure.
"""

import pytest

from . import accumulating_models as zeno
from . import controller_models as controllers
from . import switching_models as models
from .switching_compare import compare

RELAYS = (
    models.driven_relay,
    models.dry_friction,
    models.round_surface,
    models.unstable_relay,
    models.exit_by_states,
    models.feedback_oscillator,
    models.saturation,
    models.two_surfaces,
)
CONTROLLERS = (
    controllers.sliding_controller,
    controllers.scaled_gain,
    controllers.autotuning,
    controllers.hysteretic_thermostat,
    controllers.converter,
    controllers.observer,
    controllers.time_optimal,
    zeno.super_twisting,
)
ACCUMULATING = (zeno.twisting, zeno.fuller, zeno.turning_relays, zeno.rubbed_relay, zeno.super_twisting)
AGREE = 1e-8  # of the run, and of the largest value of each state


def agrees(family, seed):
    times, states, _ = compare(family, seed)
    assert max(times, states) < AGREE, (family.__name__, seed, times, states)


@pytest.mark.parametrize("family", [*dict.fromkeys(RELAYS + CONTROLLERS + ACCUMULATING)][::2], ids=lambda f: f.__name__)
@pytest.mark.few(3)
def test_one(family):
    agrees(family, 1)


def test_what_starts_at_zero_under_a_root_is_as_large_as_it_comes_to_be():
    agrees(zeno.super_twisting, 202)  # a first step relative to zero has no length: the start was refused


@pytest.mark.slow
@pytest.mark.parametrize("family", RELAYS, ids=lambda f: f.__name__)
def test_forty_relays(family):
    for seed in (1, *range(100, 105)):
        agrees(family, seed)


@pytest.mark.slow
@pytest.mark.parametrize("family", CONTROLLERS, ids=lambda f: f.__name__)
def test_forty_controllers(family):
    for seed in (1, *range(200, 205)):
        agrees(family, seed)


@pytest.mark.slow
@pytest.mark.parametrize("family", ACCUMULATING, ids=lambda f: f.__name__)
def test_forty_that_accumulate(family):
    for seed in (1, *range(300, 308)):
        agrees(family, seed)
