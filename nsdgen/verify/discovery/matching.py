"""Exported functions and operators of a model brought together, and the claims about them.

A function is a candidate for the operators whose convention has its signature (with a header), and of those for the
ones that its name speaks of. Where several remain (four corners, ``G1`` to ``G4``) the instance that the name agrees
with is taken, then values decide, each instance once; a function that differs from all takes the one it differs from
least. A name that says nothing is matched by values alone, where exactly one operator has them.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from nsdgen.errors import CompilerMissing, ParameterError
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify.assumptions import NonNegative
from nsdgen.verify.claim import Claim
from nsdgen.verify.discovery.operator_names import instance_agrees, speaks_of
from nsdgen.verify.discovery.operators import PlatformOperator, platform_operators
from nsdgen.verify.foreign.conventions import CONVENTIONS
from nsdgen.verify.foreign.decide import differing_entries
from nsdgen.verify.foreign.hand_functions import SiconosPlugin
from nsdgen.verify.foreign.signature import declared_kinds, kinds_of

if TYPE_CHECKING:
    from nsdgen.model.model import Model


@dataclass(frozen=True)
class Match:
    """An exported function with the operator it stands for, or with ``why`` there is none.

    ``how`` says what the match rests on.
    """

    function: str
    operator: PlatformOperator | None
    how: str = ""
    why: str = ""

    def claim(self, library: Path, start: float) -> Claim:
        """The claim that the function computes its operator; its caller fills the output with zeros first.

        ``start`` is when the model starts: before, nothing is asked.
        """
        assert self.operator is not None
        found = self.operator
        return Claim(
            f"{self.function}",
            found.matrix,
            _plugin(library, self.function, found),
            [NonNegative(t - as_expression(start)) for t in found.arguments.get("time", ())],
            title=f"{found.label} ({CONVENTIONS[found.convention].meaning})",
            source=f"{library.name}",
            note="; ".join(filter(None, [f"matched by {self.how}", found.note])),
        )

    def line(self) -> str:
        """One line for the list of functions."""
        if self.operator is None:
            return f"{self.function:28} no operator: {self.why}"
        return f"{self.function:28} {self.operator.label}, by {self.how}"


def discover(library: Path, model: Model, headers: Sequence[Path] = ()) -> list[Match]:
    """Every exported function of the library with its operator of the model, in the order of their names.

    Raises ``ParameterError`` where the library exports nothing, or nothing could be matched.
    """
    functions, kinds = exported_functions(library), declared_kinds(headers)
    if not functions:
        raise ParameterError(
            "the library exports no functions",
            where=str(library),
            fix='declare the plugin functions extern "C" and not static',
        )
    operators = platform_operators(model)
    matched = {f: _candidates(f, kinds.get(f), operators, bool(headers)) for f in functions}
    found = _decided(library, matched)
    if not any(m.operator for m in found):
        raise ParameterError(
            "no exported function matches an operator of the model",
            where=str(library),
            fix=("give --header with the prototypes" if not headers else "check that model and library belong together")
            + f"; it exports {', '.join(functions[:8])}",
        )
    return found


_Open: TypeAlias = tuple[bool, Sequence[PlatformOperator]]
"""Whether the name of a function speaks of an operator, and the operators that it may compute."""


def _candidates(
    function: str, kinds: str | None, operators: Sequence[PlatformOperator], declared: bool
) -> Match | _Open:
    """What a function may be; a match where that takes no values: its name speaks of one operator, or it is none."""
    if function.startswith("_Z"):
        return Match(function, None, why='its name is that of C++: declare it extern "C"')
    if declared and kinds is None:
        return Match(function, None, why="no header declares it")
    fitting = [
        o for o in operators if _takes(o) and (kinds is None or kinds_of(CONVENTIONS[o.convention].slots) == kinds)
    ]
    if not fitting:
        return Match(function, None, why="no operator of the model has its signature")
    named = [o for o in fitting if speaks_of(function, o.operator)]
    # A name with a velocity in it (jacobianVFGyr) reads like that of the derivative by q as well.
    by_velocity = {o.operator for o in named if o.operator.endswith(("qDot", "v"))}
    named = [
        o
        for o in named
        if not by_velocity & {f"{o.operator}Dot", f"{o.operator.removesuffix('q')}v"} or o.operator in by_velocity
    ]
    if named:
        agreeing = [o for o in named if instance_agrees(function, o.instance)]
        left = agreeing or named
        sole = len({(o.instance, tuple(o.matrix)) for o in left}) == 1
        return Match(function, left[0], "name") if sole else (True, left)
    if kinds is None:
        return Match(
            function, None, why="its name speaks of no operator, and without --header its signature is not known"
        )
    return False, fitting


def _takes(operator: PlatformOperator) -> bool:
    """Whether the convention gives a function all that the operator depends on."""
    given = {s for a in CONVENTIONS[operator.convention].inputs for s in operator.arguments.get(a, ())}
    return operator.matrix.free_symbols <= given | set(operator.parameters)


def _decided(library: Path, candidates: Mapping[str, Match | _Open]) -> list[Match]:
    """One operator per function: those with one candidate first, then by values, the clearest first."""
    found = {f: given for f, given in candidates.items() if isinstance(given, Match)}
    taken = {(m.operator.instance, m.operator.operator) for m in found.values() if m.operator}
    undecided = {
        f: (given[0], _screened(library, f, given[1]))
        for f, given in candidates.items()
        if not isinstance(given, Match)
    }
    for function in sorted(undecided, key=lambda f: (not undecided[f][0], undecided[f][1][0][0])):
        found[function] = match = _by_values(function, *undecided[function], taken)
        if match.operator is not None:
            taken.add((match.operator.instance, match.operator.operator))
    return [found[f] for f in candidates]


def _screened(
    library: Path, function: str, operators: Sequence[PlatformOperator]
) -> list[tuple[float, PlatformOperator]]:
    """Candidates with the number of entries in which the function differs from them, the fewest first."""
    plugins = [_plugin(library, function, o) for o in operators]
    counted = [differing_entries(Claim("", o.matrix, p), p) for o, p in zip(operators, plugins, strict=True)]
    return sorted(zip(counted, operators, strict=True), key=lambda pair: pair[0])


def _by_values(
    function: str, named: bool, screened: Sequence[tuple[float, PlatformOperator]], taken: set[tuple[str, str]]
) -> Match:
    if screened[0][0] == inf:
        why = "" if named else "it could not be called at any point"
        return Match(function, screened[0][1] if named else None, "name", why=why)
    compared = [(n, o) for n, o in screened if n < inf]
    free = [(n, o) for n, o in compared if (o.instance, o.operator) not in taken] or compared
    least = [o for n, o in free if n == free[0][0]]
    same = {tuple(o.matrix) for o in least}
    if named:
        how = "name and values" if free[0][0] == 0 else "name, as the one it differs from least"
        return Match(function, least[0], how if len(same) == 1 else f"{how} (one of {len(same)})")
    if free[0][0] == 0 and len(same) == 1 and any(least[0].matrix):
        return Match(function, least[0], "signature and values")
    why = "its name speaks of none, and " + (
        "the values of several agree with it" if free[0][0] == 0 else "no operator of its signature has its values"
    )
    return Match(function, None, why=why)


def _plugin(library: Path, function: str, operator: PlatformOperator) -> SiconosPlugin:
    inputs = CONVENTIONS[operator.convention].inputs
    arguments = {name: symbols for name, symbols in operator.arguments.items() if name in inputs}
    return SiconosPlugin(
        library.resolve(), function, operator.convention, arguments, parameters=dict(operator.parameters), zeroed=True
    )


_FUNCTIONS = "TWi"  # letters of nm: global, weak, chosen when it is loaded
_LINKER = {"_init", "_fini"}


def exported_functions(library: Path) -> tuple[str, ...]:
    """Names of the functions that a library defines and exports, sorted.

    Raises ``ParameterError`` for a file that is missing or no such library, ``CompilerMissing`` without ``nm``.
    """
    command = ["nm", "--dynamic", "--defined-only", "--format=posix", str(library)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    except OSError as error:
        raise CompilerMissing(
            f"the functions of a library cannot be listed: nm: {error.strerror}",
            fix="install the tools of the C compiler (binutils)",
        ) from error
    if done.returncode:
        raise ParameterError(
            f"the file is no shared library that can be read: {done.stderr.strip()}",
            where=str(library),
            fix="give the path of a .so, compiled with -shared -fPIC",
        )
    symbols = (line.split() for line in done.stdout.splitlines())
    return tuple(sorted({name.partition("@")[0] for name, kind, *_ in symbols if kind in _FUNCTIONS} - _LINKER))
