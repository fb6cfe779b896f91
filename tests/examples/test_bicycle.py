"""The bicycle benchmark: published eigenvalues, published matrices, and the motion of the model itself."""

from __future__ import annotations

import numpy as np
import pytest

from tests.example_models import load


@pytest.fixture(scope="module")
def bicycle():
    return load("bicycle")


def test_the_published_eigenvalues(bicycle) -> None:
    """To the digits of the table, fourteen after the point where it gives them."""
    for speed, published in bicycle.PUBLISHED.items():
        wanted = [value for z in published for value in ({z, np.conj(z)} if np.iscomplex(z) else {z})]
        found = np.sort_complex(bicycle.modes(float(speed)))
        np.testing.assert_allclose(found, np.sort_complex(np.array(wanted, complex)), rtol=0, atol=2e-12)
