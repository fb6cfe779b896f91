"""What the families share: one hand Jacobian as a formula and as a plugin, two claims about one truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import sympy as sp

from nsdgen.verify import Claim, SiconosPlugin, build_library

__all__ = ["Family"]


@dataclass(frozen=True)
class Family:
    """A system with its C source: ``parameters`` are the values that the source has built in.

    ``macros`` names them in C; ``arguments`` are symbols by the names of the plugin conventions.
    """

    name: str
    case: str
    parameters: Mapping[sp.Symbol, float]
    arguments: Mapping[str, Sequence[sp.Symbol]]
    source: str
    macros: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def library(self) -> Path:
        """The compiled source."""
        defined = {**{s.name: v for s, v in self.parameters.items()}, **self.macros}
        lines = [f"static const double {name} = {value!r};" for name, value in defined.items()]
        return build_library("\n".join(["#include <math.h>", "typedef unsigned int n_t;", *lines, self.source]))

    def formula(
        self, operator: str, truth: Any, hand: Any, title: str, note: str = "", assumptions: Sequence[Any] = ()
    ) -> Claim:
        """The claim about the formula."""
        return Claim(
            f"{self.name}/{operator}.formula", truth, hand, assumptions, title=title, source=self.case, note=note
        )

    def plugin(self, operator: str, truth: Any, function: str, convention: str, title: str) -> Claim:
        """The claim about the C function; its caller fills matrices with zeros, as the platform does."""
        from nsdgen.verify.foreign.conventions import find_convention

        given = {n: self.arguments[n] for n in find_convention(convention).inputs if n in self.arguments}
        hand = SiconosPlugin(self.library, function, convention, given, parameters=dict(self.parameters), zeroed=True)
        return Claim(f"{self.name}/{operator}.plugin", truth, hand, title=title, source=self.case)

    def both(self, operator: str, truth: Any, hand: Any, function: str, convention: str, title: str) -> list[Claim]:
        """Formula and plugin."""
        return [self.formula(operator, truth, hand, title), self.plugin(operator, truth, function, convention, title)]
