"""Claims about formulas and their verdicts: proofs, counterexamples, guessed slips.

``Claim(id, left, right, assumptions)`` says that two sides agree; ``decide`` answers with a ``Verdict``. The stages:

    claim       what is said                                claim.py, statement.py, assumptions.py
    judge       the single statements of one                judge.py, shapes.py
    compare     one of them: a proof, or points             compare.py
    prove       the one prover, and its checker             certificate/
    challenge   points, and a second evaluation             challenge/
    decide      readings, necessity, mends                  decision.py, refutation.py, repair.py
    verdict     the record                                  verdict.py

``jacobian(fn, of=operator, wrt="q")`` is the claim that a hand-written Jacobian is right; the function that takes
derivatives of expressions is ``derivative``. Every name is imported when it is first used (PEP 562).
"""

from nsdgen.base.lazy_names import lazy_names

_NAMES = {
    "symbolic.latex.hand": "Latex",
    "symbolic.vector_algebra": "column conjugate cross derivative directional_derivative gradient inverse_quaternion "
    "matrix norm pure quaternion quaternion_product rotate rotation_matrix skew time_derivative vector",
    "verify.assumptions": "Assumption Equation IndexRange Invertible NonNegative NonZero Orthogonal Orthonormal "
    "Positive PositiveDefinite Rotation Skew Symmetric UnitQuaternion UnitVector",
    "verify.campaign": "decide_all",
    "verify.claim": "Claim Mend Reading",
    "verify.decision": "decide",
    "verify.foreign.hand_functions": "CFunction PythonFunction SiconosPlugin",
    "verify.foreign.shared_library": "build_library",
    "verify.hand_jacobian": "assert_jacobian check_jacobian jacobian",
    "verify.statement": "Definite Equal Fails Iff Implies Inequality IntegralEqual SeriesEqual Shape Zero",
    "verify.verdict": "VERDICTS Counterexample VerdictEntry Verdict",
}
_HOMES = {name: f"nsdgen.{module}" for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_HOMES)

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
