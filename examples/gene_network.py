r"""Gene regulation with switches: a toggle that chooses, and a ring that oscillates.

A gene makes its protein or does not, according to whether others are above or below a threshold; proteins decay,

.. math::
    \dot x_i = k\,s_i - g\,x_i, \qquad s = 1 \text{ above the threshold}, \quad 0 \text{ below}, \quad
    [0, 1] \text{ on it}.

The switch is a box, s in [0, 1], with y = threshold - x: s = 0 where y > 0, s = 1 where y < 0, anything in between
on the threshold. So solutions are those of Filippov: they may slide along a threshold, with the share of time that
a switch is on as its multiplier.

* **Toggle**: two genes repress each other. One of the two states wins; from equal amounts the network slides along the
  diagonal to the threshold of both and stays there, in an equilibrium that no rounding leaves.
* **Ring**: three genes, each repressing the next: a limit cycle (the repressilator), with corners at the thresholds.
* **Homeostat**: a gene that represses itself slides on its own threshold; s is the constant g theta / k.

**Scheme.** theta-gamma, implicit in the switches: on a threshold x is exact and s needs no event detection.

Run it::

    nsdgen run examples/gene_network.py --plot ring.a,ring.b,ring.c --plot toggle.p,toggle.q --plot homeostat.h
    nsdgen run examples/gene_network.py --initial toggle.p=0.3 --initial toggle.q=0.3

What to look at: the ring settles within three turns on its cycle, of period 6 ln((1 + sqrt 5) / 2); the toggle goes to
one corner; the homeostat comes to its threshold in finite time and stays.
"""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

k, g, theta = sp.symbols("k g theta", positive=True)
a, b, c, p, q, h = dynamicsymbols("a b c p q h")


def network(name, genes, repressor):
    """Genes, each made where its repressor (the name of another one) is below the threshold."""
    system = nsd.FirstOrderSystem(name, genes, [k - g * x for x in genes])
    switches = nsd.multipliers(f"s_{name}_", len(genes))
    on = dict(zip(genes, switches, strict=True))  # above its threshold
    relation = nsd.FirstOrderRelation(
        f"switches of {name}",
        switches,
        [theta - x for x in genes],
        {system: [-k * on[repressor[x]] for x in genes]},
        nsd.Box(0, 1),
    )
    return system, relation


pairs = [
    network("ring", [a, b, c], {a: c, b: a, c: b}),
    network("toggle", [p, q], {p: q, q: p}),
    network("homeostat", [h], {h: h}),
]

model = nsd.Model(
    "gene_network",
    systems=[system for system, _ in pairs],
    relations=[relation for _, relation in pairs],
    scheme=nsd.ThetaGamma(theta=0.5),
    step=1e-3,
    end=30,
    parameters={k: nsd.Parameter(2, "1/s"), g: nsd.Parameter(1, "1/s"), theta: 1},
    initial={a: 0.1, b: 0.2, c: 0.4, p: 0.3, q: 0.35, h: 0.1},
)

if __name__ == "__main__":
    trajectory = model.run(progress=True)
    print(trajectory)
    trajectory.plot("ring.a", "ring.b", "ring.c").save("gene_network_ring.png")
    trajectory.plot("toggle.p", "toggle.q", "homeostat.h").save("gene_network_others.png")
