"""Results of linearisations: an equilibrium, a linear model and its modes."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nsdgen.errors import ParameterError


@dataclass(frozen=True)
class Equilibrium:
    """A configuration at rest: ``values`` by column, for ``run(initial=...)``; ``states`` system by system.

    ``in_play`` are contacts that carry load, ``forces`` what rows of relations hold: ``hinge[2]`` [N, N m].
    """

    model: str
    values: Mapping[str, float]
    in_play: tuple[str, ...]
    forces: Mapping[str, float]
    states: tuple[tuple[float, ...], ...] = field(repr=False)


@dataclass(frozen=True)
class Mode:
    """An eigenvalue [1/s] of A, its natural frequency [Hz] and damping ratio, and how coordinates move in it.

    ``shape`` maps columns to complex amplitudes, the largest of all positions 1.
    """

    eigenvalue: complex
    shape: Mapping[str, complex] = field(repr=False)

    @property
    def frequency(self) -> float:
        """|eigenvalue| / 2 pi [Hz]."""
        return abs(self.eigenvalue) / (2 * np.pi)

    @property
    def damping(self) -> float:
        """-Re / |eigenvalue|: 1 dies out without swinging, below 0 grows."""
        return -self.eigenvalue.real / abs(self.eigenvalue) if self.eigenvalue else 0.0


@dataclass(frozen=True)
class Linearisation:
    """x' = A x + B u, y = C x + D u for changes of ``states``, ``inputs`` and ``outputs``, by name.

    ``in_play`` are the contacts that are held closed and, with friction, stuck where they do not slide; ``columns`` and
    ``shapes`` map states to changes of all coordinates.
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    in_play: tuple[str, ...]
    columns: tuple[str, ...] = field(repr=False)
    shapes: np.ndarray = field(repr=False)

    @property
    def eigenvalues(self) -> np.ndarray:
        """Of A [1/s], those that grow fastest first."""
        found = np.linalg.eigvals(self.A).astype(complex)
        return found[np.lexsort((found.imag, -found.real))]

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The eigenvalues with their shapes, one of each pair, slow ones first."""
        values, vectors = np.linalg.eig(self.A)
        found = []
        for k in np.argsort(np.abs(values), kind="stable"):
            if values[k].imag >= 0:
                shape = self.shapes @ vectors[:, k]
                largest = shape[np.abs(shape).argmax()] if len(shape) else 1.0
                scaled = shape / largest if largest else shape
                found.append(Mode(complex(values[k]), dict(zip(self.columns, scaled.tolist(), strict=True))))
        return tuple(found)

    def to_control(self) -> Any:
        """The ``control.StateSpace`` of python-control; raises ``ParameterError`` where that is not installed."""
        try:
            control = importlib.import_module("control")
        except ImportError as error:
            raise ParameterError(
                f"the package control cannot be imported ({error})",
                where="to_control",
                fix="pip install control, or use A, B, C and D: scipy.signal.StateSpace(lin.A, lin.B, lin.C, lin.D)",
            ) from error
        names = {"states": list(self.states), "inputs": list(self.inputs), "outputs": list(self.outputs)}
        return control.StateSpace(self.A, self.B, self.C, self.D, **names)
