"""Which operator of the platform the name of a function speaks of.

Plugins are called after the operator (``jacobianFGyrq``), after its letter (``dn_dq``, ``U``, ``G0``) or after an
older name of it (``NNL``). A name that says nothing matches none, and the values decide.
"""

import re

_DERIVATIVE = r"(?:jac(?:obian|ob)?|grad(?:ient)?|nabla)"
_GYR = r"(?:f?gyr|nnl|qnnl|coriolis|nonlinear)"
_INT = r"(?:f?int(?:ernal)?)"
_OUTPUT = r"(?:gap|output|constraint)"
_V = r"(?:qdot|velocity|vel|v)"

_NAMES: dict[str, str] = {
    "mass": r"m(?:ass)?(?:matrix)?\d*|\w*mass",
    "FGyr": rf"(?!.*(?:jac|grad)).*{_GYR}|n",
    "fInt": r"(?!.*(?:jac|grad)).*(?:fint|internal)|u\d*|fint",
    "fExt": r"(?!.*(?:jac|grad)).*(?:fext|external)",
    "jacobianFGyrq": rf".*{_DERIVATIVE}.*{_GYR}q?|.*{_DERIVATIVE}q{_GYR}|dn_?dq|d{_GYR}_?dq",
    "jacobianFGyrqDot": rf".*{_DERIVATIVE}.*{_GYR}{_V}|.*{_DERIVATIVE}v{_GYR}|dn_?dv|d{_GYR}_?dv",
    "jacobianFIntq": rf".*{_DERIVATIVE}.*{_INT}q?|.*{_DERIVATIVE}q{_INT}|df_?dq|d{_INT}_?dq|.*{_DERIVATIVE}uq",
    "jacobianFIntqDot": rf".*{_DERIVATIVE}.*{_INT}{_V}|.*{_DERIVATIVE}v{_INT}|df_?dv|d{_INT}_?dv|.*{_DERIVATIVE}uv",
    "h": rf"(?!.*(?:jac|grad|nabla|dot|rate|deriv))(?:h\d*|{_OUTPUT}\w*)",
    "jachq": r"g\d+|G\d*|(?:jac(?:obian|ob)?|grad(?:ient)?)(?:_?h?_?q?)?_?\d*|dh_?dq\w*|jac\w*hq\w*|"
    rf"(?!.*(?:dot|rate))(?:{_OUTPUT}\w*{_DERIVATIVE}|{_DERIVATIVE}\w*{_OUTPUT})\w*",
    "dotjachq": r"(?:rate|gdot|hdotjac)\w*|dot(?:jac|grad|g)\w*|jac\w*(?:dot|rate)\w*|d_?g_?dt\w*|"
    rf"{_OUTPUT}\w*rate\w*|{_OUTPUT}\w*{_DERIVATIVE}\w*dot\w*",
    "hDot": rf"h\d*dot\w*|dh_?dt\w*|(?!.*(?:jac|grad|nabla)){_OUTPUT}\w*(?:dot|rate)\w*",
    "f": r"f|rhs|(?:compute)?f\d*",
    "jacobianfx": r"df_?dx|jac\w*f_?x|a_plugin",
    **{letter: rf"{letter}\w*" for letter in "AbCBDeM"},
    "g": r"(?:compute)?g\d*|reaction\w*|beta\w*",
    "jachx": r"dh_?dx|jac\w*h_?x|compute_?c|c_plugin",
    "jachlambda": r"dh_?d(?:l|lambda)|jac\w*h_?(?:l|lambda)",
    "T": r"T\w*|(?:compute_?)?(?:twist_?map|T)\w*",
    "H": r"H\d*|\w*(?:by_?twist|contact_?gradient)\w*",
    "mInt": r"(?!.*(?:jac|grad)).*(?:mint|internal_?moment)\w*",
    "mExt": r"(?!.*(?:jac|grad)).*(?:mext|external_?moment)\w*",
    "MGyr": rf"(?!.*(?:jac|grad)).*{_GYR}\w*",
    "jacobianMGyrv": rf".*{_DERIVATIVE}.*{_GYR}{_V}?",
    "jacobianMIntq": rf".*{_DERIVATIVE}.*mint_?q?|dm_?dq",
    "jacobianMIntv": rf".*{_DERIVATIVE}.*mint_?{_V}|dm_?dv",
    "jacobianFIntv": rf".*{_DERIVATIVE}.*{_INT}{_V}|.*{_DERIVATIVE}v{_INT}|df_?dv",
    "jacobianMExtq": rf".*{_DERIVATIVE}.*(?:mext|external_?moment)\w*",
    "jacgx": r"dg_?dx|jac\w*g_?x",
    "jacglambda": r"dg_?d(?:l|lambda)|jac\w*g_?(?:l|lambda)",
}
_ONE_CASE = {"A", "b", "C", "B", "D", "e", "M", "T", "H"}
"""Operators called by one letter: its case tells them apart."""


def speaks_of(function: str, operator: str) -> bool:
    """Whether the name of a function is one of an operator (``jachq`` of ``LagrangianScleronomousR.jachq``)."""
    pattern = _NAMES.get(operator)
    if pattern is None:
        return False
    return re.fullmatch(pattern, function, 0 if operator in _ONE_CASE else re.IGNORECASE) is not None


def instance_agrees(function: str, instance: str) -> bool:
    """Whether the name of a function holds that of an instance, or ends in the number that the instance ends in."""
    flat = re.sub(r"[^a-z0-9]", "", instance.lower())
    ends = [re.search(r"(\d+)\D*$", name) for name in (function, instance)]
    numbered = all(ends) and int(ends[0][1]) == int(ends[1][1])  # type: ignore[index]
    return numbered or (len(flat) > 2 and flat in re.sub(r"[^a-z0-9]", "", function.lower()))
