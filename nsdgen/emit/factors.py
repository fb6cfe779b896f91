"""Share factors that several products have in common.

SymPy sorts the factors of ``h*theta*a`` and ``h*theta*b`` into flat products in which
``h*theta`` is no subtree. Again and again, the pair of factors that occurs most often
becomes a product of its own, until no pair occurs twice. Every replacement saves one
multiplication per occurrence but one; ties are decided by the order of the names.

Numerators are paired with numerators and denominators with denominators: ``x/y`` stays
one division, correctly rounded, and is never turned into ``x*(1/y)``. A reciprocal
is shared only where it is an expression of its own. *Fixed* products are left alone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import combinations, pairwise

from nsdgen.emit.expression_graph import Graph, Kind

LONG_PRODUCT = 12
"""In longer products only neighbours are paired: all pairs would take quadratic time."""

Pair = tuple[int, int]
Part = tuple[int, str]
"""A product and ``*`` or ``/``: its numerator or its denominator."""

Entry = tuple[int, bool, tuple[tuple[str, bytes], ...], Pair]


def share_factors(graph: Graph, roots: Sequence[int]) -> None:
    """Rewrite the products that the roots need, in place."""
    _Sharing(graph, roots).run()


class _Sharing:
    """Which pairs occur in which products, kept up to date while pairs are replaced."""

    def __init__(self, graph: Graph, roots: Sequence[int]) -> None:
        self.graph = graph
        self.parts: dict[Part, list[int]] = {}
        self.pairs: dict[Part, list[tuple[Pair, int]]] = {}  # of each part, and how often it has them
        self.count: Counter[Pair] = Counter()
        self.found: defaultdict[Pair, set[Part]] = defaultdict(set)
        for index in graph.reached(roots):
            node = graph.nodes[index]
            if node.kind is Kind.PRODUCT and not node.fixed:
                for operator in "*/":
                    self._enter((index, operator), node.factors(operator))
        self.queue = [self._entry(pair) for pair, count in self.count.items() if count > 1]
        heapify(self.queue)

    def run(self) -> None:
        """Share pairs until no pair of factors stands twice."""
        while self.queue:
            entry = heappop(self.queue)
            pair: Pair = entry[-1]
            # An entry is out of date once the count of its pair has changed.
            if self.count[pair] == -entry[0] and self.count[pair] > 1:
                self._replace(pair)

    def _entry(self, pair: Pair) -> Entry:
        """Frequent pairs first, then pairs without a number, then by name."""
        numeric = any(self.graph.nodes[factor].kind is Kind.NUMBER for factor in pair)
        return -self.count[pair], numeric, tuple(map(self.graph.key, pair)), pair

    def _pairs(self, factors: Sequence[int]) -> Iterator[tuple[Pair, int]]:
        """The pairs among these factors, and how often each can be taken out of them."""
        times = Counter(factors)
        ordered = sorted(times, key=self.graph.key)
        for factor in ordered:
            if times[factor] > 1:
                yield (factor, factor), times[factor] // 2
        near = len(ordered) > LONG_PRODUCT
        for a, b in pairwise(ordered) if near else combinations(ordered, 2):
            yield (a, b), min(times[a], times[b])

    def _enter(self, part: Part, factors: list[int]) -> list[Pair]:
        self.parts[part] = factors
        pairs = self.pairs[part] = list(self._pairs(factors)) if len(factors) > 1 else []
        for pair, times in pairs:
            self.count[pair] += times
            self.found[pair].add(part)
        return [pair for pair, _ in pairs]

    def _leave(self, part: Part) -> list[Pair]:
        pairs = self.pairs[part]
        for pair, times in pairs:
            self.count[pair] -= times
            self.found[pair].discard(part)
        return [pair for pair, _ in pairs]

    def _replace(self, pair: Pair) -> None:
        shared = self.graph.product(pair)
        changed: dict[Pair, None] = {}
        for part in sorted(self.found[pair]):
            if part[0] != shared:
                changed.update(dict.fromkeys(self._leave(part)))
                factors = self._taken_out(self.parts[part], pair, shared)
                changed.update(dict.fromkeys(self._enter(part, factors)))
                self.graph.refactor(part[0], *(self.parts[part[0], sign] for sign in "*/"))
        if (shared, "*") not in self.parts:
            changed.update(dict.fromkeys(self._enter((shared, "*"), list(pair))))
            self.parts[shared, "/"] = []
        for changed_pair in changed:
            if self.count[changed_pair] > 1:
                heappush(self.queue, self._entry(changed_pair))

    @staticmethod
    def _taken_out(factors: Sequence[int], pair: Pair, shared: int) -> list[int]:
        rest = list(factors)
        while all(Counter(rest)[factor] >= n for factor, n in Counter(pair).items()):
            for factor in pair:
                rest.remove(factor)
            rest.append(shared)
        return rest
