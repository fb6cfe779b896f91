"""The freedoms that a joint leaves: a coordinate with its rate, which limits, springs, friction and motors act on."""

from dataclasses import dataclass

import sympy as sp

from nsdgen.symbolic.expressions.nodes import let


@dataclass(frozen=True, eq=False)
class Freedom:
    """A coordinate that a joint leaves free and its rate, of the first marker relative to the second.

    A length [m], or an angle [rad] in (-pi, pi], which has ``cosine`` and ``sine``; its rate is continuous where the
    angle jumps. Sums among them are named: SymPy would spread a factor over their terms, and a mechanism in joint
    coordinates would not see its own coordinate in what is left.
    """

    name: str
    coordinate: sp.Expr
    rate: sp.Expr
    cosine: sp.Expr | None = None
    sine: sp.Expr | None = None

    def __post_init__(self) -> None:
        for field, label in (("coordinate", self.name), ("rate", f"{self.name}_rate")):
            value = getattr(self, field)
            if isinstance(value, sp.Add):
                object.__setattr__(self, field, let(label, value))

    @property
    def turns(self) -> bool:
        """Whether it is an angle."""
        return self.cosine is not None

    @property
    def units(self) -> tuple[str, str]:
        """Of the coordinate, and of the force that acts on it."""
        return ("rad", "N m") if self.turns else ("m", "N")


@dataclass(frozen=True)
class JointMotion:
    """One freedom of a joint as a motion along and about an axis of the frame: angle ``turn`` s, way ``slide`` s."""

    freedom: str
    axis: int = 2
    turn: sp.Expr = sp.S.Zero
    slide: sp.Expr = sp.S.Zero


@dataclass(frozen=True)
class BallMotion:
    """A frame that turns as it likes, by a unit quaternion."""


CROSSED = sp.ImmutableMatrix([[0, 0, 1], [0, -1, 0], [1, 0, 0]])
"""The turn that carries e3 into e1, between the two axes of a cardan joint."""

Chain = tuple[JointMotion | BallMotion | sp.ImmutableMatrix, ...]
"""What carries the second marker of a joint into the first, in turn: motions, and rotations that stay."""


def angle_of(name: str, cosine: sp.Expr, sine: sp.Expr, rate: sp.Expr) -> Freedom:
    """The angle with this cosine and sine."""
    angle = sp.atan2(sine, cosine, evaluate=False)  # whose signs SymPy would look for, in vain
    return Freedom(name, angle, rate, cosine, sine)


def turned(freedom: Freedom, by: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """How far a freedom is from a value: the difference, or the sine of the difference of angles, which has no jump.

    Then what is negative where it is zero half a turn off.
    """
    if freedom.cosine is None or freedom.sine is None:
        return freedom.coordinate - by, sp.S.One
    c, s = sp.cos(by), sp.sin(by)
    return freedom.sine * c - freedom.cosine * s, freedom.cosine * c + freedom.sine * s


def wound(freedom: Freedom, times: int) -> tuple[sp.Expr, sp.Expr]:
    """Cosine and sine of ``times`` an angle, by multiplication: no turn is forgotten."""
    assert freedom.cosine is not None and freedom.sine is not None
    base = (freedom.cosine, freedom.sine if times > 0 else -freedom.sine)
    found: tuple[sp.Expr, sp.Expr] = (sp.S.One, sp.S.Zero)
    for bit in bin(abs(times))[2:]:
        c, s = found
        found = (let("cosine", c * c - s * s), let("sine", 2 * c * s)) if found != (1, 0) else found
        if bit == "1":
            c, s = found
            found = (c * base[0] - s * base[1], s * base[0] + c * base[1])
    return found
