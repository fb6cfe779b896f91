"""The fixture ``assert_jacobian`` for the tests of a project that holds hand Jacobians.

::

    def test_jacobian_of_the_contact(assert_jacobian):
        assert_jacobian(my_jacobian, of=model["ball"].force, wrt="q")

A failure shows the offending entries, a counterexample and a guess of the slip. Nothing heavy is
imported before the fixture is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture(name="assert_jacobian")
def _fixture() -> Callable[..., Any]:
    """``assert_jacobian(fn, of=..., wrt=...)``."""
    return assert_jacobian


def assert_jacobian(fn: Any, **about: Any) -> Any:
    """The verdict, where it speaks for ``fn``; else the test fails with what is wrong.

    Arguments as for :func:`nsdgen.verify.hand_jacobian.assert_jacobian`.
    """
    __tracebackhide__ = True
    from nsdgen.verify.hand_jacobian import assert_jacobian as check

    try:
        return check(fn, **about)
    except AssertionError as error:
        pytest.fail(str(error), pytrace=False)
