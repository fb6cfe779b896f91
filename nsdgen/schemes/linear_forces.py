"""Finite forces that a step evaluates once, before it is solved: linearised, or explicit.

With theta the weight of forces, t_theta = t_k + theta h and the predicted q_p = q_k + theta h T(q_k) v_k,

linear    h F(t_theta, q_p, v_k) + h theta (F_v + theta_q h F_q T) (v - v_k), derivatives at the same place,
          theta_q the weight of positions, which is theta unless ``force_theta`` says otherwise
damped    h F(t_theta, q_p, v_k) + h theta F_v (v - v_k)
explicit  h F(t_theta, q_p, v_k)

``linear`` is one iteration of Newton's method for forces at mid values (a Rosenbrock method; Hairer and Wanner,
Solving Ordinary Differential Equations II, IV.7): order 2 with theta = 1/2; for linear forces the same equations,
stable for all h where theta >= 1/2. ``damped`` goes around positions as Verlet's method does: of order 2 with
theta = 1/2, stable for omega h <= 2. ``explicit`` has order 2 where forces do not depend on velocities and order 1
otherwise. R is then affine in the unknowns: F and its derivatives are evaluated once and W is factored once a step,
whatever the motion.
"""

from dataclasses import dataclass

import sympy as sp

from nsdgen.schemes.motion import predicted
from nsdgen.schemes.relation_step import RelationStep
from nsdgen.schemes.stages import STEP, T_K, T_NEXT, Assignments
from nsdgen.schemes.system_step import Instant, SystemStep
from nsdgen.symbolic.expressions.entry import own_symbol
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.expressions.nodes_of import replaced
from nsdgen.symbolic.expressions.product import product
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.relations.relation_class import Participant

LINEAR = ("linear", "damped", "explicit")


@dataclass(frozen=True)
class LinearForces:
    """The rule ``at`` of :data:`LINEAR`, and the name of the option that weighs by it."""

    at: str
    weight: str

    def of_system(self, step: SystemStep) -> tuple[sp.Matrix, Assignments]:
        """F of the step, affine in v, and the symbols in it with what they are, once a step."""
        weight, q_k, v_k = getattr(step.options, self.weight), step.state("q_k"), step.state("v_k")
        there = predicted(step.cls.configuration, q_k, v_k, weight * STEP)
        at = step.at(T_K + weight * STEP, q=there, v=v_k)
        force, whole = step.cls.terms["force"].values, Participant(step.cls, {})
        frozen: dict[sp.Symbol, sp.Expr] = {}
        changing = {*q_k, *v_k, T_K}

        def held(values: sp.Matrix, label: str) -> sp.Matrix:
            def entry(i: int, j: int) -> sp.Expr:
                if values[i, j].free_symbols.isdisjoint(changing):
                    return values[i, j]
                symbol = own_symbol("frozen", f"{label}{i}_{j}" if values.cols > 1 else f"{label}{i}")
                frozen[symbol] = values[i, j]
                return symbol

            return sp.Matrix(*values.shape, entry)

        value = held(replaced(force, at), "F")
        slope = replaced(self._slope(force, whole, step.options.theta), at)
        moved = sp.Matrix(step.group("v")) - v_k
        return value + weight * product(held(slope, "dF"), moved), tuple(frozen.items())

    def by_formula(self, step: RelationStep) -> None:
        """A force by formula between systems, in the same way."""
        at = self._place(step, self._weight(step))
        step.reaction(*(STEP * self._linearised(step, g, at, self._weight(step)) for g in step.cls.reactions))
        step.formulas(output=f"rho = {self.formula('g(t_next, q, v)', '+')}", observe="force at t_next")

    def by_output(self, step: RelationStep, place: str) -> None:
        """y = h(t, q, v, lambda) and g(t, q, v, lambda) at t_k+1 (``"end"``) or t_``"theta"``, h linearised in (q, v).

        y is implicit under every rule, since a law needs its own rates; g is that of the predicted place.
        """
        step.multiplier()
        weight = step.options.theta if place == "theta" else sp.S.One
        at = self._place(step, weight)
        if place == "theta":
            step.bounds({NOW: at[NOW]})
        step.output(LinearForces("linear", self.weight)._linearised(step, step.cls.terms["output"], at, weight))
        step.reaction(*(STEP * g for g in step.reactions(self._place(step, self._weight(step)))))
        step.formulas(output="y = h + dh/dw (v - v_k), rho = h g(t_theta, q_p, v_k, lambda)", observe="y at t_next")

    def formula(self, at_end: str, sign: str) -> str:
        """What a step takes of a force, as emitted code says it; ``at_end`` is the force at the end of the step."""
        name = at_end.partition("(")[0]
        slope = {
            "linear": f" {sign} h {self.weight} ({name}_v + h theta {name}_q T) (v - v_k)",
            "damped": f" {sign} h {self.weight} {name}_v (v - v_k)",
            "explicit": "",
        }[self.at]
        return f"h {name}(t_theta, q_k + h {self.weight} v_k, v_k){slope}"

    def _weight(self, step: RelationStep) -> sp.Expr:
        return getattr(step.options, self.weight)

    def _slope(self, values: sp.Matrix, p: Participant, theta: sp.Expr) -> sp.Matrix:
        """d values / dv through rates and, linearised, through the place that velocities make by ``theta``."""
        if self.at == "explicit":
            return sp.zeros(values.rows, len(p.group("v")))
        rates = jacobian(values, p.group("v"))
        return rates if self.at == "damped" else rates + theta * STEP * p.twist_gradient(values)

    def _linearised(self, step: RelationStep, values: sp.Matrix, at: Instant, weight: sp.Expr) -> sp.Matrix:
        found = replaced(values, at)
        for p in step.participants:
            slope = replaced(self._slope(values, p.participant, step.options.theta), at)
            found += weight * product(slope, sp.Matrix(p.group("v")) - p.state("v_k"))
        return found

    def _place(self, step: RelationStep, weight: sp.Expr) -> Instant:
        """t_k + weight h, and where v_k would have taken the participants by then."""
        places, rates = [], []
        for p in step.participants:
            q_k, v_k = p.state("q_k"), p.state("v_k")
            places.append(predicted(p.participant.system.configuration, q_k, v_k, weight * STEP))
            rates.append(v_k)
        return step.at(T_NEXT if weight == 1 else T_K + weight * STEP, q=places, v=rates)
