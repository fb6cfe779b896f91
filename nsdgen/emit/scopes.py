"""Which scope computes what: the top of a kernel, or one arm of a branch.

A node is computed in a scope when everything that happens there needs it: it is an
operand of something computed there, or *all* arms of a branch need it. What only some
arms need is computed in those arms, so that an untaken branch costs nothing and cannot
produce a not-a-number. One exception keeps the text from growing exponentially: a branch
that several arms need is computed once, in the innermost scope that holds them all.

Branches with the same conditions form one *chain* (one ``if`` with several results)
unless one of them depends on another.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_

from nsdgen.emit.expression_graph import CompactGraph, ExpressionNode, Kind
from nsdgen.symbolic.expressions.nodes_of import below

LARGEST_TEXT = 24
"""A value whose text has more operands than this gets a name, to keep lines readable."""

UNNAMED = (Kind.NUMBER, Kind.SYMBOL, Kind.NEGATION, Kind.RELATION, Kind.LOGIC)
"""Kinds that are printed in place, however often they are used."""

Arm = tuple[frozenset[int], Counter[int]]
"""What an arm computes, and how often it uses what is computed outside."""


@dataclass(frozen=True)
class ScopePlan:
    """What one scope computes: a *unit* is a node, or the first branch of a chain."""

    needed: int  # bit set, including what the enclosing scopes compute
    named: frozenset[int]  # nodes that get a temporary here
    chains: dict[int, tuple[int, ...]]  # first branch -> all branches
    dependencies: dict[int, tuple[int, ...]]  # unit -> units
    unit: dict[int, int]

    def units(self, roots: Iterable[int], done: set[int]) -> list[int]:
        """The units that the roots need and that are not done, in order; they are now done."""
        known = [self.unit[root] for root in roots if root in self.unit]
        return list(below(known, self.dependencies.__getitem__, done=done))  # type: ignore[arg-type]


class Planner:
    """Plans the scopes of one program."""

    def __init__(self, program: CompactGraph) -> None:
        self.nodes = program.nodes
        self.labels = program.labels
        self.branches = any(node.kind is Kind.BRANCH for node in self.nodes)
        self.always: list[int] = []  # per node: bit set of what is computed whenever it is; where there are branches
        for index, node in enumerate(self.nodes if self.branches else ()):
            self.always.append(1 << index | self._always_below(node))

    def _always_below(self, node: ExpressionNode) -> int:
        if node.kind is not Kind.BRANCH:
            return reduce(or_, (self.always[arg] for arg in node.args), 0)
        common = reduce(and_, (self.always[value] for value in node.values))
        return reduce(or_, (self.always[condition] for condition in node.conditions), common)

    def plan(self, roots: Sequence[int], outer: int) -> ScopePlan:
        """The scope that computes these roots where the bit set ``outer`` is already known."""
        needed = self._needed(roots, outer) if self.branches else (1 << len(self.nodes)) - 1
        here = list(_bits(needed & ~outer))
        arms = {
            index: [self._arm([value], needed) for value in self.nodes[index].values]
            for index in here
            if self.nodes[index].kind is Kind.BRANCH
        }
        chains = self._chains(here, arms, set(here)) if arms else {}
        unit = {index: index for index in here}
        unit.update((b, first) for first, chain in chains.items() for b in chain)
        return ScopePlan(
            needed=needed,
            named=self._named(roots, here, arms, chains),
            chains=chains,
            dependencies=self._dependencies(here, arms, chains, unit),
            unit=unit,
        )

    def _needed(self, roots: Iterable[int], outer: int) -> int:
        needed = reduce(or_, (self.always[root] for root in roots), outer)
        while True:
            shared = self._shared_by_arms(needed, outer)
            if not shared:
                return needed
            needed = reduce(or_, (self.always[index] for index in shared), needed)

    def _shared_by_arms(self, needed: int, outer: int) -> list[int]:
        """Branches inside several arms of the branches computed here."""
        arms: dict[tuple[tuple[int, ...], int], list[int]] = {}
        for index in _bits(needed & ~outer):
            node = self.nodes[index]
            if node.kind is Kind.BRANCH:
                for place, value in enumerate(node.values):
                    arms.setdefault((node.conditions, place), []).append(value)
        count: Counter[int] = Counter()
        for values in arms.values():
            inside = self._arm(values, needed)[0]
            count.update(i for i in inside if self.nodes[i].kind is Kind.BRANCH)
        return sorted(index for index, times in count.items() if times > 1)

    def _arm(self, values: Iterable[int], needed: int) -> Arm:
        """What lies below these values and is not computed outside."""
        inside: set[int] = set()
        uses: Counter[int] = Counter()
        stack = list(values)
        while stack:
            index = stack.pop()
            if needed >> index & 1:
                uses[index] += 1
            elif index not in inside:
                inside.add(index)
                stack.extend(self.nodes[index].args)
        return frozenset(inside), uses

    def _direct(self, index: int, arms: dict[int, list[Arm]], here: set[int]) -> list[int]:
        """The nodes of this scope that a node of this scope needs first."""
        node = self.nodes[index]
        if node.kind is not Kind.BRANCH:
            return [arg for arg in node.args if arg in here]
        inner = sorted({use for _, uses in arms[index] for use in uses})
        return [arg for arg in (*node.conditions, *inner) if arg in here]

    def _chains(self, here: Sequence[int], arms: dict[int, list[Arm]], members: set[int]) -> dict[int, tuple[int, ...]]:
        """Merge branches with equal conditions while no chain comes to depend on itself."""
        chains: dict[int, list[int]] = {}
        direct: dict[int, set[int]] = {}  # node -> chains it needs
        chain_below: dict[int, set[int]] = {}
        by_conditions: dict[tuple[int, ...], list[int]] = {}
        for index in here:
            needs: set[int] = set()
            for arg in self._direct(index, arms, members):
                needs |= direct[arg]
            if self.nodes[index].kind is Kind.BRANCH:
                candidates = by_conditions.setdefault(self.nodes[index].conditions, [])
                reached = set(below(sorted(needs), lambda chain: sorted(chain_below[chain])))
                free = [chain for chain in candidates if chain not in reached]
                first = free[0] if free else index
                if first == index:
                    candidates.append(index)
                chains.setdefault(first, []).append(index)
                chain_below.setdefault(first, set()).update(needs)
                needs = {first}
            direct[index] = needs
        return {first: tuple(chain) for first, chain in chains.items()}

    def _dependencies(
        self, here: Sequence[int], arms: dict[int, list[Arm]], chains: dict[int, tuple[int, ...]], unit: dict[int, int]
    ) -> dict[int, tuple[int, ...]]:
        members = set(here)
        found: dict[int, tuple[int, ...]] = {}
        for index in here:
            if unit[index] == index:
                group = chains.get(index, (index,))
                needs = [arg for member in group for arg in self._direct(member, arms, members)]
                found[index] = tuple(dict.fromkeys(unit[arg] for arg in needs))
        return found

    def _named(
        self, roots: Sequence[int], here: Sequence[int], arms: dict[int, list[Arm]], chains: dict[int, tuple[int, ...]]
    ) -> frozenset[int]:
        """Nodes used more than once, named by the user, chosen by a branch, or long."""
        uses = self._uses(roots, here, arms, chains)
        whole = self._whole(roots)
        named: set[int] = set()
        size: dict[int, int] = {}
        for index in here:
            node = self.nodes[index]
            size[index] = sum(1 if a in named else size.get(a, 1) for a in node.args) or 1
            long = size[index] > LARGEST_TEXT and (index not in whole or uses[index] > 1)
            must = index in self.labels or node.kind is Kind.BRANCH
            if must or (node.kind not in UNNAMED and (uses[index] > 1 or long)):
                named.add(index)
        return frozenset(named)

    def _whole(self, roots: Sequence[int]) -> set[int]:
        """Values that are the whole right-hand side of an assignment, perhaps with a sign before them."""
        ends = {*roots, *self.labels}
        signs = (self.nodes[i].args[0] for i in ends if self.nodes[i].kind is Kind.NEGATION)
        return {*ends, *signs}

    def _uses(
        self, roots: Sequence[int], here: Sequence[int], arms: dict[int, list[Arm]], chains: dict[int, tuple[int, ...]]
    ) -> Counter[int]:
        uses = Counter(roots)
        for parts in arms.values():
            for _, used in parts:
                uses.update(used)
        for index in reversed(here):
            node = self.nodes[index]
            if node.kind is Kind.BRANCH:
                uses.update(node.conditions if index in chains else ())
            else:
                # What is printed in place is computed as often as it is printed.
                times = uses[index] if node.kind in UNNAMED and index not in self.labels else 1
                for arg in node.args:
                    uses[arg] += times
        return uses


def _bits(mask: int) -> Iterator[int]:
    """The indices in a bit set, ascending."""
    for place, digit in enumerate(reversed(bin(mask)[2:])):
        if digit == "1":
            yield place
