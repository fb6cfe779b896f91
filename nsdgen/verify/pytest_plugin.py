"""The fixture ``assert_jacobian`` for the tests of a project that holds hand Jacobians.

::

    def test_jacobian_of_the_contact(assert_jacobian):
        assert_jacobian(my_jacobian, of=model["ball"].force, wrt="q")

A failure shows the offending entries, a counterexample and a guess of the slip. Nothing heavy is
imported before the fixture is used.
"""

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def assert_jacobian() -> Callable[..., Any]:
    """:func:`nsdgen.verify.hand_jacobian.assert_jacobian`."""
    from nsdgen.verify.hand_jacobian import assert_jacobian as check

    return check
