"""A family of one's own: networks of heat capacities and conductances, C T' = -K T + P."""

import sympy as sp

import nsdgen as nsd
from nsdgen.extend import System, enter_matrix, first_order_class, function_symbols


class ThermalNetwork(System):
    """Nodes with temperatures T [K], heat capacities [J/K] and heat sources [W], joined by conductances [W/K].

    ``conductances`` maps pairs of nodes (positions in ``temperatures``) to their conductance.
    """

    def __init__(self, name, temperatures, capacities, conductances, sources):
        self.name, self.temperatures, self.sources = name, tuple(temperatures), sp.Matrix(sources)
        self.capacity = sp.diag(*capacities)
        self.heat = sp.Matrix(sources)
        for (i, j), conductance in conductances.items():
            flow = conductance * (self.temperatures[i] - self.temperatures[j])
            self.heat[i], self.heat[j] = self.heat[i] - flow, self.heat[j] + flow
        self.variables = function_symbols(self.temperatures, where=f"system {name!r}, temperatures")

    equations = property(lambda self: len(self.temperatures))

    @property
    def functions(self):
        return dict(zip(self.temperatures, self.variables, strict=True))

    def describe(self, scope):
        symbols = {**scope.parameters, **self.functions}
        capacity, heat = (enter_matrix(m, symbols, where=f"system {self.name!r}") for m in (self.capacity, self.heat))
        return first_order_class(
            self.name,
            scope.used([capacity, heat]),
            self.variables,
            capacity,
            heat,
            names=self.describe_names()[0],
            units=("K",) * self.equations,
        )


def thermostat(name, network, node, low, high, heater):
    """A heater of at most ``heater`` watts that keeps a node between two temperatures, as an ideal relay."""
    power, row = nsd.multipliers("power", 1), [0] * network.equations
    row[node] = power[0]
    excess = network.temperatures[node] - (low + high) / 2
    return nsd.FirstOrderRelation(name, power, [excess], {network: row}, nsd.Box(0, heater))
