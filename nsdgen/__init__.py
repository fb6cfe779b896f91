"""nsdgen: symbolic-to-numeric code generation for nonsmooth dynamical systems.

``import nsdgen as nsd`` loads neither SymPy nor NumPy; every name below is imported
from its module when it is first used (PEP 562).
"""

import os

from nsdgen.base.checkout import require_built
from nsdgen.base.lazy_names import lazy_names
from nsdgen.base.of_symbols import tell_of_symbols
from nsdgen.base.version import VERSION as __version__

require_built(os.path.dirname(os.path.abspath(__file__)))
tell_of_symbols()

_NAMES = {
    "systems": {
        "symbolic.families.first_order": "FirstOrderSystem",
        "symbolic.families.kane": "KaneSystem",
        "symbolic.families.lagrangian": "LagrangianSystem",
        "symbolic.families.linear": "LinearSystem",
        "symbolic.families.linear_mechanical": "LinearMechanicalSystem",
        "symbolic.families.rigid_body": "RigidBody",
        "symbolic.mechanisms.mechanism": "Mechanism",
    },
    "relations": {
        "symbolic.relations.along": "Coupling ForceElement Observed OutputColumn RateForce VelocityConstraint",
        "symbolic.relations.contact": "Bilateral Contact Plane contacts_between",
        "symbolic.relations.output_relation": "FirstOrderRelation OutputRelation",
        "symbolic.relations.pulses": "Pulses Ramp",
        "symbolic.relations.reset": "Latch Reset",
        "symbolic.relations.sampled": "Sampled",
        "symbolic.relations.stop": "StopWhen",
    },
    "joints": {
        "symbolic.joints.elements": "Bushing Spring Wrench",
        "symbolic.joints.joint": "Joint",
        "symbolic.joints.kinds": "Coupler Cylindrical Distance Fixed Planar "
        "Prismatic Revolute Screw Spherical Universal",
        "symbolic.joints.marker": "Marker",
        "symbolic.laws.bearing": "Bearing",
    },
    "laws": {
        "symbolic.laws.drilling": "NewtonImpactContensouFriction NewtonImpactTorsionalFriction",
        "symbolic.laws.friction": "FremondImpact NewtonImpactFriction "
        "NewtonImpactPlanarRolling NewtonImpactRollingFriction",
        "symbolic.laws.impacts": "MultipleImpact NewtonImpact PoissonImpact PoissonImpactFriction",
        "symbolic.laws.mixed": "Mixed",
        "symbolic.laws.normal_cone": "NormalCone",
        "symbolic.laws.piecewise_linear": "PiecewiseLinear",
        "symbolic.laws.rows": "Box Complementarity Equality Relay",
    },
    "schemes": {
        "schemes.d1_minus": "D1Minus",
        "schemes.event_driven": "EventDriven",
        "schemes.generalised_alpha": "GeneralisedAlpha",
        "schemes.moreau_jean": "MoreauJean",
        "schemes.program": "Newton",
        "schemes.projection": "Projection",
        "schemes.rattle": "Rattle",
        "schemes.schatzman_paoli": "SchatzmanPaoli",
        "schemes.theta_gamma": "ThetaGamma",
        "schemes.variational": "Variational",
        "schemes.zero_order_hold": "ZeroOrderHold",
    },
    "robots": {
        "symbolic.robots.mjcf": "read_mjcf",
        "symbolic.robots.urdf": "read_urdf",
    },
    "expressions": {
        "symbolic.drawing.sketch": "Sketch",
        "symbolic.expressions.nodes": "let mod piecewise",
        "symbolic.expressions.parameter": "Parameter",
        "symbolic.expressions.time": "period recorded sampled step time",
        "symbolic.families.quaternion": "from_axis_angle",
        "symbolic.relations.output_relation": "multipliers",
    },
    "models and runs": {
        "base.dependencies": "depends_on",
        "model.model": "Model",
        "model.world.world": "World",
        "study.orbits.diagram": "basins_of_attraction bifurcation_diagram frequency_response",
        "study.orbits.exponents": "chaos_test lyapunov_exponents",
        "study.orbits.follow": "follow_orbit",
        "study.orbits.orbit": "periodic_orbit",
        "study.orbits.section": "poincare_section",
        "study.sweep.sweep": "sweep",
        "study.trajectory": "Trajectory",
    },
}
"""What users meet, by its kind: modules, and the names that are taken from each."""

_GROUPS = {
    kind: {name: f"nsdgen.{module}" for module, names in modules.items() for name in names.split()}
    for kind, modules in _NAMES.items()
}
_HOMES = {name: module for names in _GROUPS.values() for name, module in names.items()}
_MODULES = {name: f"nsdgen.{name}" for name in ("errors", "solvers", "study", "schemes", "symbolic", "verify")}
_MODULES |= {"rotations": "nsdgen.symbolic.rotations", "shapes": "nsdgen.symbolic.relations.shape_contacts"}
_MODULES |= {"solids": "nsdgen.base.solids"}

__all__ = [*sorted(_HOMES), "__version__"]

__getattr__, __dir__ = lazy_names(__name__, {**_HOMES, **_MODULES}, {**_GROUPS, "modules": _MODULES})
