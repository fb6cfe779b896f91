"""The plugin functions of the Siconos platform: one table of argument conventions.

The type definitions are those of ``siconos/kernel/PluginTypes.hpp`` and of the headers of each
class (version 4.4); the meaning of the arguments is documented there. Matrices are column-major.
The vector z of user parameters may be written by any of them.

Where that platform has no plugin (the terms that its rigid bodies compute themselves: T, the gyroscopic moment, the
gradients by twists) the functions have the arguments of their neighbours.

In the table a word is an argument: ``time`` a double, ``n:q`` the size of q (unsigned int), ``q`` a
vector, ``rows`` and ``cols`` the sizes of the result, ``out`` the result.
"""

from dataclasses import dataclass

from nsdgen.errors import ParameterError

from .c_call import CArgument, Kind


@dataclass(frozen=True)
class Convention:
    """How a plugin is called: ``name`` is ``Class.operator``, ``typedef`` its C type, ``meaning`` what it computes.

    ``shape`` gives rows and columns by the vectors they belong to (``q`` for its length, ``y``
    for the size of the relation, ``1``).
    """

    name: str
    typedef: str
    arguments: tuple[str, ...]
    shape: tuple[str, str]
    meaning: str

    @property
    def inputs(self) -> tuple[str, ...]:
        """The vectors (and ``time``) that the function reads, in its order; z comes last and may be empty."""
        return tuple(p.name for p in self.slots if p.kind in ("real", "input"))

    @property
    def slots(self) -> tuple[CArgument, ...]:
        """The arguments with their C types."""
        kinds: dict[str, Kind] = {"time": "real", "out": "output", "rows": "integer", "cols": "integer"}
        found = ((kinds.get(a, "integer" if a.startswith("n:") else "input"), a) for a in self.arguments)
        return tuple(CArgument(kind, a, "unsigned int" if kind == "integer" else "double") for kind, a in found)


_ARGUMENTS = {
    "state": "time n:q q velocity out n:z z",
    "inertia": "n:q q velocity out n:z z",
    "body": "time q velocity out n:z z",
    "first": "time n:x x out n:z z",
    "vector": "time rows out n:z z",
    "matrix": "time rows cols out n:z z",
    "scleronomous": "n:q q rows out n:z z",
    "rheonomous": "n:q q time rows out n:z z",
    "compliant": "n:q q n:lambda lambda out n:z z",
    "nonlinear": "time n:x x n:lambda lambda out n:z z",
    "position": "n:q q out n:z z",
    "moment_of_time": "time out n:z z",
    "of_x": "n:x x rows out n:z z",
    "of_lambda": "n:lambda lambda rows out n:z z",
    "of_both": "n:x x n:lambda lambda rows out",
    "of_lambda_alone": "n:lambda lambda rows out",
    "rate": "n:q q n:velocity velocity out n:z z",
}

_TABLE = """
LagrangianDS
mass             | FPtr7          | position     | q x q  | M(q)
fInt             | FPtr6          | state        | q x 1  | F_int(t, q, v)
jacobianFIntq    | FPtr6          | state        | q x q  | d F_int / dq
jacobianFIntqDot | FPtr6          | state        | q x q  | d F_int / dv
FGyr             | FPtr5          | inertia      | q x 1  | N(q, v), the Coriolis and centrifugal terms
jacobianFGyrq    | FPtr5          | inertia      | q x q  | dN / dq
jacobianFGyrqDot | FPtr5          | inertia      | q x q  | dN / dv
fExt             | VectorFunctionOfTime | vector       | q x 1  | F_ext(t)
NewtonEulerDS
fExt             | FExt_NE        | moment_of_time | 3 x 1  | external force, inertial frame
mExt             | FExt_NE        | moment_of_time | 3 x 1  | external moment
fInt             | FInt_NE        | body         | 3 x 1  | F_int(t, q, v)
mInt             | FInt_NE        | body         | 3 x 1  | M_int(t, q, v)
jacobianFIntq    | FInt_NE        | body         | 3 x q  | d F_int / dq
jacobianFIntv    | FInt_NE        | body         | 3 x velocity | d F_int / dv
jacobianMIntq    | FInt_NE        | body         | 3 x q  | d M_int / dq
jacobianMIntv    | FInt_NE        | body         | 3 x velocity | d M_int / dv
jacobianMExtq    | FInt_NE        | body         | 3 x q  | d M_ext / dq of a moment that turns with the body or not
MGyr             | FInt_NE        | body         | 3 x 1  | Omega x I Omega
jacobianMGyrv    | FInt_NE        | body         | 3 x velocity | d (Omega x I Omega) / dv
mass             | FPtr7          | position     | velocity x velocity | mass and inertia
T                | FPtr7          | position     | q x velocity | T(q) of q' = T v
NewtonEulerR
h                | FPtr3          | scleronomous | y x 1  | h(q)
jachq            | FPtr3          | scleronomous | y x q  | dh/dq
H                | FPtr3          | scleronomous | y x velocity | H = dh/dq T(q), by the twists
FirstOrderNonLinearDS
f                | FPtr1          | first        | x x 1  | f(t, x)
jacobianfx       | FPtr1          | first        | x x x  | df/dx
M                | FPtr1          | first        | x x x  | M(t, x)
FirstOrderLinearDS
A                | LDSPtrFunction | vector       | y x y  | A(t)
b                | LDSPtrFunction | vector       | y x 1  | b(t)
LagrangianScleronomousR
h                | FPtr3          | scleronomous | y x 1  | h(q)
jachq            | FPtr3          | scleronomous | y x q  | G = dh/dq, column-major
dotjachq         | FPtr2          | rate         | y x q  | d/dt (dh/dq)
LagrangianRheonomousR
h                | FPtr4          | rheonomous   | y x 1  | h(t, q)
jachq            | FPtr4          | rheonomous   | y x q  | dh/dq
hDot             | FPtr4          | rheonomous   | y x 1  | dh/dt
LagrangianCompliantR
h                | FPtr2          | compliant    | y x 1  | h(q, lambda)
jachq            | FPtr2          | compliant    | y x q  | dh/dq
jachlambda       | FPtr2          | compliant    | y x lambda | dh/dlambda
FirstOrderNonLinearR
h                | plugin of FirstOrderNonLinearR.hpp | nonlinear    | y x 1  | h(t, x, lambda)
g                | plugin of FirstOrderNonLinearR.hpp | nonlinear    | x x 1  | g(t, x, lambda)
jachx            | plugin of FirstOrderNonLinearR.hpp | nonlinear    | y x x  | dh/dx
jachlambda       | plugin of FirstOrderNonLinearR.hpp | nonlinear    | y x lambda | dh/dlambda
jacgx            | plugin of FirstOrderNonLinearR.hpp | nonlinear    | x x x  | dg/dx
jacglambda       | plugin of FirstOrderNonLinearR.hpp | nonlinear    | x x lambda | dg/dlambda
FirstOrderType1R
h                | Type1Ptr       | of_x         | y x 1  | h(x)
jachx            | Type1Ptr       | of_x         | y x x  | dh/dx
g                | Type1Ptr       | of_lambda    | y x 1  | g(lambda), y here the size of r
jacglambda       | Type1Ptr       | of_lambda    | y x lambda | dg/dlambda
FirstOrderType2R
h                | Type2PtrH      | of_both      | y x 1  | h(x, lambda)
jachx            | Type2PtrH      | of_both      | y x x  | dh/dx
jachlambda       | Type2PtrH      | of_both      | y x lambda | dh/dlambda
g                | Type2PtrG      | of_lambda_alone | y x 1  | g(lambda), y here the size of r
jacglambda       | Type2PtrG      | of_lambda_alone | y x lambda | dg/dlambda
FirstOrderLinearR
C                | FOMatPtr1      | matrix       | y x *  | C(t)
B                | FOMatPtr1      | matrix       | y x *  | B(t), y here the size of r
F                | FOMatPtr1      | matrix       | y x *  | F(t)
D                | FOMatPtr2      | vector       | y x y  | D(t)
e                | FOVecPtr       | vector       | y x 1  | e(t)
"""
# class, and below it: operator | C type | arguments as above | rows x columns | meaning


def _read(table: str) -> dict[str, Convention]:
    """The conventions that the text lists."""
    found, owner = {}, ""
    for line in table.strip().splitlines():
        if "|" not in line:
            owner = line
            continue
        operator, typedef, arguments, shape, meaning = (part.strip() for part in line.split("|", 4))
        rows, _, columns = shape.partition(" x ")
        name = f"{owner}.{operator}"
        found[name] = Convention(name, typedef, tuple(_ARGUMENTS[arguments].split()), (rows, columns), meaning)
    return found


CONVENTIONS = _read(_TABLE)
"""All conventions by ``Class.operator``."""


def find_convention(name: str) -> Convention:
    """The convention called ``name``; raises ``ParameterError`` with the names that exist."""
    if name in CONVENTIONS:
        return CONVENTIONS[name]
    cls = name.partition(".")[0]
    near = [known for known in CONVENTIONS if known.startswith(f"{cls}.")]
    listed = ", ".join(near or sorted({known.partition(".")[0] for known in CONVENTIONS}))
    raise ParameterError(f"there is no plugin convention {name!r}", where="Siconos plugin", fix=f"use one of {listed}")
