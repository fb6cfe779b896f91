"""Lagrangian systems, from energies or from mass matrix and forces."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import sympy as sp

from nsdgen.base.definiteness import DEFINITE
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.entry import column, enter, enter_matrix, matrix, own_symbol
from nsdgen.symbolic.expressions.jacobian import gradient, jacobian
from nsdgen.symbolic.expressions.scope import Scope, display, function_symbols, unit_labels
from nsdgen.symbolic.expressions.time import NOW, time
from nsdgen.symbolic.families.control_terms import control_operators
from nsdgen.symbolic.families.energies import from_energies, inertial_forces
from nsdgen.symbolic.families.further_states import FurtherStates
from nsdgen.symbolic.families.mass import refuse_mass
from nsdgen.symbolic.families.mechanical import mechanical_class
from nsdgen.symbolic.families.system import System
from nsdgen.symbolic.families.system_class import Operator, Requirement, SystemClass, Variables


@named_arguments
class LagrangianSystem(System):
    """M(t, q) v' = F(t, q, v) + p with q' = v, in n generalised coordinates, maybe with first-order states.

    Either from energies: ``kinetic`` T (quadratic in the velocities), ``potential`` V,
    generalised ``forces`` Q and a ``dissipation`` function D give
    M = d2T/dv2 and F = Q - dD/dv + dT/dq - dV/dq - (d2T/dv dq) v - d2T/dv dt;
    or from given terms: ``mass`` M (n x n), ``nonlinear`` N, ``internal`` F_int,
    ``external`` F_ext give F = F_ext - F_int - N. Units are those of the model. M must be symmetric and
    positive semidefinite, which is checked here where symbols tell and at the start of every run;
    ``nonsymmetric_mass=True`` accepts any. With energies, ``identify`` adds operators for control: ``coriolis``,
    ``gravity`` and, for the parameters that it lists, ``regressor``; an empty list asks for the first two.

    ``state`` lists first-order states z of the system besides, a current or a pressure, and ``rhs`` their rates,
    z' = g(t, q, v, z) + s; forces may depend on them (F(t, q, v, z)), M and the kinetic energy may not. They are the
    last entries of reactions on the system, and of ``units``, which are those of coordinates, then of states. Impacts
    leave them as they are. ``SchatzmanPaoli`` and ``Variational`` refuse them.
    """

    def __init__(
        self,
        name: str,
        coordinates: Sequence[sp.Expr] | sp.Expr,
        *,
        kinetic: Any = None,
        potential: Any = 0,
        forces: Any = None,
        dissipation: Any = 0,
        mass: Any = None,
        nonlinear: Any = None,
        internal: Any = None,
        external: Any = None,
        units: Sequence[str] = (),
        nonsymmetric_mass: bool = False,
        identify: Sequence[sp.Symbol] | None = None,
        state: Sequence[sp.Expr] | sp.Expr = (),
        rhs: Any = None,
    ) -> None:
        self.name = name
        self.nonsymmetric_mass = nonsymmetric_mass
        where = f"system {name!r}"
        many = isinstance(coordinates, Sequence | sp.MatrixBase)
        self.coordinates = tuple(coordinates) if many else (coordinates,)
        n = len(self.coordinates)
        self.positions = function_symbols(self.coordinates, where=f"{where}, coordinates")
        self.velocities = tuple(sp.diff(q, time) for q in self.coordinates)
        self.rates = tuple(own_symbol("rate", f"{q.name}_dot") for q in self.positions)
        clash = {q.name for q in self.positions} & {f"{q.name}_dot" for q in self.positions}
        if clash:
            raise ModelError(
                f"the coordinate {min(clash)!r} is called like a velocity",
                where=where,
                fix="rename it: the velocity of x is recorded as x_dot",
            )
        taken = [name for q in self.positions for name in (q.name, f"{q.name}_dot")]
        self.further = FurtherStates.of(state, rhs, taken, where)
        if (kinetic is None) == (mass is None):
            raise ModelError(
                "needs either a kinetic energy or a mass matrix",
                where=where,
                fix="give kinetic=... (and potential=...), or mass=... (and external=...)",
            )
        terms = (nonlinear, internal, external)
        if kinetic is not None and any(term is not None for term in terms):
            raise ModelError(
                "mixes energies with nonlinear=, internal= or external=",
                where=where,
                fix="with a kinetic energy, forces go to forces=[...]",
            )
        if mass is not None and (potential != 0 or dissipation != 0 or forces is not None):
            raise ModelError(
                "mixes a mass matrix with potential=, dissipation= or forces=",
                where=where,
                fix="with a mass matrix, forces go to external=[...]",
            )
        self.kinetic, self.potential, self.dissipation = kinetic, potential, dissipation
        if identify is not None and kinetic is None:
            raise ModelError("identify= without energies", where=where, fix="give kinetic=... and potential=...")
        self.identify = None if identify is None else tuple(identify)
        zero = [0] * n
        self.forces = column(forces if forces is not None else zero, where=f"{where}, forces", rows=n)
        self.mass = None if mass is None else matrix(mass, where=f"{where}, mass", rows=n, cols=n)
        self.given = [
            column(term if term is not None else zero, where=f"{where}, {label}", rows=n)
            for term, label in zip(terms, ("nonlinear", "internal", "external"), strict=True)
        ]
        labels = unit_labels(units, n + len(self.further.symbols), where)
        self.units, self.state_units = labels[:n], labels[n:]

    @classmethod
    def of(cls, name: str, method: Any, units: Sequence[str] = ()) -> Self:
        """The system of a ``sympy.physics.mechanics.LagrangesMethod`` whose equations have been formed.

        Its constraints are relations of the model: ``nsd.Bilateral`` with what was given as ``hol_coneqs``, or
        ``nsd.VelocityConstraint(name, method.coneqs)``. Raises ``ModelError`` for other objects.
        """
        # Imported late: that module loads much of SymPy.
        from nsdgen.symbolic.families.kane import lagranges_terms

        coordinates, mass, force = lagranges_terms(method, f"system {name!r}")
        return cls(name, coordinates, mass=mass, external=force, units=units)

    @property
    def equations(self) -> int:
        """The number of velocities, and of states."""
        return len(self.velocities) + len(self.further.symbols)

    @property
    def functions(self) -> dict[sp.Expr, sp.Symbol]:
        """The functions of time that belong to this system and the symbols they become."""
        own = self.coordinates + self.velocities + self.further.functions
        return dict(zip(own, self.positions + self.rates + self.further.symbols, strict=True))

    def describe(self, scope: Scope) -> SystemClass:
        """The class of this system over fresh symbols."""
        symbols = {**scope.parameters, **self.functions}
        if self.kinetic is not None:
            mass, force, energies = self._from_energies(symbols)
        else:
            mass, force, energies = self._from_terms(symbols)
        if mass.free_symbols & set(self.rates):
            raise ModelError(
                "the mass matrix depends on velocities",
                where=f"system {self.name!r}",
                fix="put what depends on velocities into nonlinear=[...]",
            )
        required: tuple[Requirement, ...] = ()
        if not self.nonsymmetric_mass:
            refuse_mass(
                mass,
                where=f"system {self.name!r}, mass",
                fix="check the signs of its terms; nonsymmetric_mass=True accepts any matrix",
            )
            required = (Requirement("mass", DEFINITE, 0, mass.rows),)
        states, rates = self.further.described(symbols, self.state_units)
        names = tuple(display(q) for q in self.coordinates)
        rate_units = tuple(f"{u}/s" if u else "" for u in self.units)
        return mechanical_class(
            self.name,
            scope.used([mass, force, rates, *energies.values()]),
            Variables("q", self.positions, names, self.units),
            Variables("v", self.rates, tuple(f"{n}_dot" for n in names), rate_units),
            mass,
            force,
            energies=energies,
            requirements=required,
            further=self._for_control(mass, energies, scope),
            states=states,
            rates=rates,
        )

    def _for_control(self, mass: sp.Matrix, energies: Mapping[str, sp.Expr], scope: Scope) -> tuple[Operator, ...]:
        """The operators that ``identify`` asks for."""
        if self.identify is None:
            return ()
        where = f"system {self.name!r}, identify"
        unknown = [s for s in self.identify if s not in scope.parameters]
        if unknown:
            raise ModelError(
                f"{unknown[0]} is no parameter of the model", where=where, fix="list it in the model's parameters"
            )
        parameters = [scope.parameters[s] for s in self.identify]
        return control_operators(mass, energies["potential_energy"], self.positions, self.rates, parameters, where)

    def _from_terms(self, symbols: Mapping[sp.Basic, sp.Expr]) -> tuple[Any, Any, dict[str, Any]]:
        where = f"system {self.name!r}"
        mass = enter_matrix(self.mass, symbols, where=f"{where}, mass")
        labels = ("nonlinear", "internal", "external")
        nonlinear, internal, external = (
            enter_matrix(m, symbols, where=f"{where}, {label}") for m, label in zip(self.given, labels, strict=True)
        )
        v = sp.Matrix(self.rates)
        kinetic = (v.T * mass * v)[0, 0] / 2
        return mass, external - internal - nonlinear, {"kinetic_energy": kinetic}

    def _from_energies(self, symbols: Mapping[sp.Basic, sp.Expr]) -> tuple[Any, Any, dict[str, Any]]:
        where = f"system {self.name!r}"
        kinetic = enter(self.kinetic, symbols, where=f"{where}, kinetic energy")
        potential = enter(self.potential, symbols, where=f"{where}, potential energy")
        dissipation = enter(self.dissipation, symbols, where=f"{where}, dissipation")
        forces = enter_matrix(self.forces, symbols, where=f"{where}, forces")
        q, v = self.positions, self.rates
        found = from_energies(kinetic, potential, dissipation, forces, q, v)
        if read := kinetic.free_symbols & set(self.further.symbols):
            raise ModelError(
                f"the kinetic energy depends on the state {min(s.name for s in read)!r}",
                where=where,
                fix="its rate would act on the motion: make it a coordinate with a velocity, or write the force "
                "that it exerts in forces=[...]",
            )
        if found is not None:
            return found
        momentum = sp.Matrix(gradient(kinetic, v))
        mass = jacobian(momentum, v)
        if mass.free_symbols & set(v):
            raise ModelError(
                "the kinetic energy is not quadratic in the velocities",
                where=where,
                fix="give mass=... and nonlinear=... instead of kinetic=...",
            )
        massive = {i for i, _ in mass.todok()}
        massless = [qi.name for i, qi in enumerate(q) if i not in massive]
        if massless:
            raise ModelError(
                f"the kinetic energy gives {', '.join(massless)} no mass",
                where=where,
                fix="it must be quadratic in every velocity: is a .diff() missing? What has no mass is a state=[...]",
            )
        if dissipation != 0 and not dissipation.free_symbols & set(v):
            raise ModelError(
                "the dissipation function does not depend on velocities",
                where=where,
                fix="it is a function of velocities such as c*x.diff()**2/2: is a .diff() missing?",
            )
        if potential.free_symbols & set(v):
            raise ModelError(
                "the potential energy depends on velocities",
                where=where,
                fix="put velocity-dependent forces into forces=[...] or dissipation=...",
            )
        damping, slope, inertial = gradient(dissipation, v), gradient(potential, q), inertial_forces(kinetic, q, v)
        if inertial is None:
            inertial = gradient(kinetic, q)
            for (i, j), change in jacobian(momentum, q).todok().items():  # (d2T/dv dq) v
                inertial[i] -= change * v[j]
            for (i, _), change in jacobian(momentum, [NOW]).todok().items():
                inertial[i] -= change
        force = sp.Matrix([forces[i] - damping[i] + inertial[i] - slope[i] for i in range(len(q))])
        return mass, force, {"kinetic_energy": kinetic, "potential_energy": potential}

    def describe_names(self) -> tuple[tuple[str, ...], ...]:
        """The names of the initial values, in the order of :meth:`initial_values`."""
        names = tuple(display(q) for q in self.coordinates)
        return names, tuple(f"{n}_dot" for n in names), self.further.names

    @property
    def resting(self) -> tuple[sp.Expr, ...]:
        """Velocities; coordinates and states must be given."""
        return self.velocities
