r"""A DC motor under a sampled PI controller: exact between samples, whatever the step.

The plant is linear and the voltage is held between samples, so that the motion from sample to sample is known exactly,

.. math::
    x_{k+1} = e^{A H} x_k + \int_0^H e^{A s}\,ds\; B\, u_k ,

and ``ZeroOrderHold`` takes just that step. The controller is a block of its own: it samples the speed, integrates the
error and holds a voltage within the supply. Its integrator stops where the voltage is at a limit (anti-windup).

**Scheme.** ``ZeroOrderHold``: with a step of 10 ms (the period) or of 0.1 ms the samples are the same to rounding;
short steps only show what happens in between. The exponential is computed once a run, from the
matrices as data: another motor needs no compilation.

Run it::

    nsdgen run examples/motor_control.py --plot motor.speed --plot motor.voltage
    nsdgen run examples/motor_control.py --step 0.01 -p gain=0.5

What to look at: the voltage is at its limit of 24 V while the motor starts, without overshoot of the integrator later;
at 1 s a load of 0.2 N m is put on, and the speed returns.
"""

import sympy as sp

import nsdgen as nsd

resistance, inductance, constant, inertia, damping = 1.0, 5e-3, 0.1, 2e-3, 1e-4

motor = nsd.LinearSystem(
    "motor",
    A=[[-resistance / inductance, -constant / inductance], [constant / inertia, -damping / inertia]],
    B=[[1 / inductance, 0], [0, -1 / inertia]],
    C=[[0, 1]],
    states=["current", "speed"],
    outputs=["measured"],
    inputs={"voltage": None, "load": nsd.piecewise((0, nsd.time < 1), (sp.Rational(1, 5), True))},
    units={"current": "A", "speed": "rad/s", "voltage": "V", "load": "N m", "measured": "rad/s"},
)

integral, gain, rate, target, limit = sp.symbols("integral gain rate target limit", positive=True)
error = target - nsd.sampled("speed")
wanted = gain * error + integral
within = sp.Abs(wanted) < limit
controller = nsd.Sampled(
    "controller",
    period=0.01,
    samples={"speed": motor.output("measured")},
    state=[integral],
    update={integral: sp.Piecewise((integral + nsd.period * rate * error, within), (integral, True))},
    holds={motor.input("voltage"): sp.Max(-limit, sp.Min(limit, wanted))},
    units={"speed": "rad/s", integral: "V", motor.input("voltage"): "V"},
)

model = nsd.Model(
    "motor_control",
    systems=[motor],
    blocks=[controller],
    scheme=nsd.ZeroOrderHold(),
    step=1e-3,
    end=2,
    parameters={
        gain: nsd.Parameter(0.3, "V s/rad"),
        rate: nsd.Parameter(2.0, "V/rad"),
        target: nsd.Parameter(150, "rad/s"),
        limit: nsd.Parameter(24, "V"),
    },
)

if __name__ == "__main__":
    trajectory = model.run(progress=True)
    print(trajectory)
    trajectory.plot("motor.speed").save("motor_control_speed.png")
    trajectory.plot("controller.motor.voltage").save("motor_control_voltage.png")
