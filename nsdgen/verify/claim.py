"""Claims: what a text or a program says, with its source, its assumptions and its possible readings."""

from dataclasses import dataclass, replace
from typing import Any, Literal

from nsdgen.errors import ModelError
from nsdgen.verify.statement import Equal, several


@dataclass(frozen=True, init=False)
class Mend:
    """What a refuted claim should say: in words or as a formula, and as statements that must then be proved.

    ``Mend(text, left, right, assumptions)`` or with ``statements``. The assumptions are those of the claim and, in
    addition, these. ``slip`` names the slip where the author of the claim knows it better than the search for small
    repairs; "" says that there is none to name. Raises ``ModelError`` for an empty text.
    """

    text: str
    statements: tuple[Any, ...]
    assumptions: tuple[Any, ...]
    slip: str | None

    def __init__(
        self,
        text: str,
        left: Any = None,
        right: Any = None,
        assumptions: Any = (),
        *,
        statements: Any = (),
        slip: str | None = None,
    ) -> None:
        if not text or (left is None) != (right is None):
            raise ModelError(
                "a mend has a text, and both sides of an equality or none",
                where=f"mend {text!r}",
                fix="say what is right, and give left and right or statements to have it decided",
            )
        said = several(statements) if left is None else (Equal(left, right), *several(statements))
        self.__dict__.update(text=text, statements=said, assumptions=several(assumptions), slip=slip)


@dataclass(frozen=True)
class Reading:
    """One way to understand a claim: its statements (all must hold) under its assumptions.

    One statement, assumption or candidate stands for a sequence of one, a text for a mend in words.
    """

    name: str
    statements: Any
    assumptions: Any = ()
    note: str = ""
    candidates: Any = ()
    mend: Mend | Any = None

    def __post_init__(self) -> None:
        self.__dict__.update({key: several(getattr(self, key)) for key in ("statements", "assumptions", "candidates")})
        if isinstance(self.mend, str):
            self.__dict__["mend"] = Mend(self.mend)


@dataclass(frozen=True, init=False)
class Claim:
    """A statement to be decided: ``Claim(id, left, right, assumptions)`` or with ``statements`` or ``readings``.

    ``hand`` says which side of an ``Equal`` is hand-written; the other one is the truth that corrections quote.
    ``candidates`` are assumptions that the text does not make, tried when the claim is refuted as stated; ``mend``
    is what it should say, decided as well when the claim is refuted. Of a ``kind="definition"`` nothing is derived, but
    it must be well typed (``Shape``), and an ``Equal`` whose sides differ refutes it.
    Raises ``ModelError`` when nothing is stated or two forms are mixed.
    """

    id: str
    readings: tuple[Reading, ...]
    title: str
    source: str
    hand: Literal["left", "right"]
    kind: Literal["claim", "definition"]
    note: str

    def __init__(
        self,
        id: str,
        left: Any = None,
        right: Any = None,
        assumptions: Any = (),
        *,
        title: str = "",
        source: str = "",
        statements: Any = (),
        readings: Any = (),
        hand: Literal["left", "right"] = "right",
        kind: Literal["claim", "definition"] = "claim",
        candidates: Any = (),
        note: str = "",
        mend: Mend | str | None = None,
    ) -> None:
        forms = [left is not None or right is not None, bool(statements), bool(readings)]
        if sum(forms) != 1 or (left is None) != (right is None):
            raise ModelError(
                "a claim states either left and right, or statements, or readings",
                where=f"claim {id!r}",
                fix="give exactly one of these forms",
            )
        if not readings:
            said = several(statements) if statements else (Equal(left, right),)
            readings = (Reading("", said, assumptions, candidates=candidates, mend=mend),)
        elif assumptions or candidates or mend is not None:
            readings = tuple(
                replace(
                    r,
                    assumptions=(*several(assumptions), *r.assumptions),
                    candidates=(*several(candidates), *r.candidates),
                    mend=r.mend or mend,
                )
                for r in readings
            )
        about = {"title": title, "source": source, "hand": hand, "kind": kind, "note": note}
        self.__dict__.update(about, id=id, readings=tuple(readings))

    @property
    def code(self) -> tuple[Any, ...]:
        """The sides of equalities that are code."""
        sides = (side for r in self.readings for s in r.statements if isinstance(s, Equal) for side in s.sides)
        return tuple(side for side in sides if getattr(side, "hand_side", "") == "code")
