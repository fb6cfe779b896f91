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
        "FirstOrderSystem": "symbolic.families.first_order",
        "KaneSystem": "symbolic.families.kane",
        "Mechanism": "symbolic.mechanisms.mechanism",
        "LagrangianSystem": "symbolic.families.lagrangian",
        "LinearMechanicalSystem": "symbolic.families.linear_mechanical",
        "LinearSystem": "symbolic.families.linear",
        "RigidBody": "symbolic.families.rigid_body",
    },
    "relations": {
        "Bilateral": "symbolic.relations.contact",
        "Contact": "symbolic.relations.contact",
        "Coupling": "symbolic.relations.along",
        "FirstOrderRelation": "symbolic.relations.first_order_relation",
        "ForceElement": "symbolic.relations.along",
        "Observed": "symbolic.relations.along",
        "OutputColumn": "symbolic.relations.output",
        "OutputRelation": "symbolic.relations.output_relation",
        "RateForce": "symbolic.relations.along",
        "Latch": "symbolic.relations.reset",
        "Pulses": "symbolic.relations.pulses",
        "Ramp": "symbolic.relations.pulses",
        "Reset": "symbolic.relations.reset",
        "Sampled": "symbolic.relations.sampled",
        "StopWhen": "symbolic.relations.stop",
        "VelocityConstraint": "symbolic.relations.along",
        "Plane": "symbolic.relations.contact",
        "contacts_between": "symbolic.relations.contact",
    },
    "joints": {
        "Bearing": "symbolic.laws.bearing",
        **dict.fromkeys(
            (
                "Coupler",
                "Cylindrical",
                "Distance",
                "Fixed",
                "Planar",
                "Prismatic",
                "Revolute",
                "Screw",
                "Spherical",
                "Universal",
            ),
            "symbolic.joints.kinds",
        ),
        **dict.fromkeys(("Bushing", "Spring", "Wrench"), "symbolic.joints.elements"),
        "Joint": "symbolic.joints.joint",
        "Marker": "symbolic.joints.marker",
    },
    "laws": {
        "Box": "symbolic.laws.rows",
        "Complementarity": "symbolic.laws.rows",
        "FremondImpact": "symbolic.laws.friction",
        "Equality": "symbolic.laws.rows",
        "Mixed": "symbolic.laws.mixed",
        "MultipleImpact": "symbolic.laws.impacts",
        "NewtonImpact": "symbolic.laws.impacts",
        "NewtonImpactContensouFriction": "symbolic.laws.drilling",
        "NewtonImpactFriction": "symbolic.laws.friction",
        "NewtonImpactPlanarRolling": "symbolic.laws.friction",
        "NewtonImpactRollingFriction": "symbolic.laws.friction",
        "NewtonImpactTorsionalFriction": "symbolic.laws.drilling",
        "NormalCone": "symbolic.laws.normal_cone",
        "PiecewiseLinear": "symbolic.laws.piecewise_linear",
        "PoissonImpact": "symbolic.laws.impacts",
        "PoissonImpactFriction": "symbolic.laws.impacts",
        "Relay": "symbolic.laws.rows",
    },
    "schemes": {
        "D1Minus": "schemes.d1_minus",
        "EventDriven": "schemes.event_driven",
        "GeneralisedAlpha": "schemes.generalised_alpha",
        "MoreauJean": "schemes.moreau_jean",
        "Newton": "schemes.newton",
        "Projection": "schemes.projection",
        "Rattle": "schemes.rattle",
        "SchatzmanPaoli": "schemes.schatzman_paoli",
        "ThetaGamma": "schemes.theta_gamma",
        "Variational": "schemes.variational",
        "ZeroOrderHold": "schemes.zero_order_hold",
    },
    "robots": {"read_mjcf": "symbolic.robots.mjcf", "read_urdf": "symbolic.robots.urdf"},
    "expressions": {
        "Parameter": "symbolic.expressions.parameter",
        "Sketch": "symbolic.drawing.sketch",
        "from_axis_angle": "symbolic.families.quaternion",
        "let": "symbolic.expressions.nodes",
        "mod": "symbolic.expressions.nodes",
        "multipliers": "symbolic.relations.output_relation",
        "period": "symbolic.expressions.time",
        "piecewise": "symbolic.expressions.nodes",
        "recorded": "symbolic.expressions.time",
        "sampled": "symbolic.expressions.time",
        "step": "symbolic.expressions.time",
        "time": "symbolic.expressions.time",
    },
    "models and runs": {
        "Model": "model.model",
        "Trajectory": "study.trajectory",
        "depends_on": "base.dependencies",
        "World": "model.world.world",
        "sweep": "study.sweep.sweep",
        "basins_of_attraction": "study.orbits.diagram",
        "bifurcation_diagram": "study.orbits.diagram",
        "chaos_test": "study.orbits.exponents",
        "frequency_response": "study.orbits.diagram",
        "lyapunov_exponents": "study.orbits.exponents",
        "poincare_section": "study.orbits.section",
        "periodic_orbit": "study.orbits.orbit",
        "follow_orbit": "study.orbits.follow",
    },
}
_HOMES = {name: f"nsdgen.{module}" for names in _NAMES.values() for name, module in names.items()}
_MODULES = {name: f"nsdgen.{name}" for name in ("errors", "solvers", "study", "schemes", "symbolic", "verify")}
_MODULES |= {"rotations": "nsdgen.symbolic.rotations", "shapes": "nsdgen.symbolic.relations.shape_contacts"}
_MODULES |= {"solids": "nsdgen.base.solids"}

__all__ = [*sorted(_HOMES), "__version__"]

__getattr__, __dir__ = lazy_names(__name__, {**_HOMES, **_MODULES}, {**_NAMES, "modules": _MODULES})
