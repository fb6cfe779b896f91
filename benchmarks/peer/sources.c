/* Functions of time of linear circuits, as plugins of the peer: <case>_b of the states, <case>_e of the outputs. */
#include <math.h>

#define VECTOR(name) void name(double t, unsigned int size, double *v, unsigned int size_z, double *z)
#define UNUSED (void)size, (void)size_z, (void)z

static const double pi = 3.14159265358979323846;

VECTOR(diode_bridge_powsup_e)
{
    const double source = 10.0 * cos(1e4 * t), drops = 0.42;
    UNUSED;
    v[0] = drops;
    v[1] = 0.0;
    v[2] = drops - source;
    v[3] = source;
}

VECTOR(parallel_inverter_e)
{
    UNUSED;
    v[0] = v[1] = v[2] = -55.0 * sin(100.0 * pi * t);
}

/* A PWM ramp of 1.6667 us: up to 2.25 in 1.655 us, 1 ns there, down in 10 ns. */
static double ramp(double t)
{
    const double phase = fmod(t, 1.6667e-6);
    if (phase < 1.655e-6)
        return 2.25 / 1.655e-6 * phase;
    if (phase < 1.656e-6)
        return 2.25;
    return phase < 1.666e-6 ? 2.25 - 2.25 / 10e-9 * (phase - 1.656e-6) : 0.0;
}

VECTOR(buck_converter_b)
{
    const double rise = 100e-6, target = 1.8, bandwidth = 2.0 * 3.14159 * 30e6;
    UNUSED;
    v[0] = v[2] = v[3] = 0.0;
    v[1] = -0.8 / 10e-6;
    v[4] = 1e4 * bandwidth * (t < rise ? target * t / rise : t <= 2.0 * rise ? target : target * (3.0 - t / rise));
}

VECTOR(buck_converter_e)
{
    const double in = 3.0, threshold = 2.0, drop = 0.8, hinge = 0.5, now = ramp(t);
    UNUSED;
    v[0] = -0.1 - now;
    v[1] = 0.1 - now;
    for (unsigned int k = 0; k < 2; k++) {
        v[2 + k] = threshold - in + k * hinge;
        v[4 + k] = threshold + drop + k * hinge;
        v[6 + k] = threshold + k * hinge;
        v[8 + k] = threshold - drop + k * hinge;
    }
    v[10] = in + 2.0 * drop;
    v[11] = 0.0;
}
