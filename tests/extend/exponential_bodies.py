"""Free rigid bodies with the exponential update: q_k+1 = q_k exp(h (v + v_k) / 2), midpoint moments.

M (v - v_k) = h F(t_k + h/2, q_k exp(h v_k / 2), (v + v_k) / 2): no quaternion is ever normalised.
"""

from dataclasses import dataclass

from nsdgen.extend import STEP, T_K, T_NEXT, Scheme


@dataclass(frozen=True)
class ExponentialBodies(Scheme):
    """For systems whose configuration moves along an exponential."""

    def system(self, step):
        q_k, v_k, v = step.state("q_k"), step.state("v_k"), step.unknown("v")
        space, middle = step.cls.configuration, (v + v_k) / 2
        half = space.moved(q_k, STEP * v_k / 2)
        forces = step.term("force", step.at((T_K + T_NEXT) / 2, q=half, v=middle))
        step.residual(step.term("mass", step.at(T_NEXT, q=half)) * (v - v_k) - STEP * forces)
        step.advance(q_k=space.moved(q_k, STEP * middle), v_k=v)
