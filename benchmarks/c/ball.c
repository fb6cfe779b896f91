/* The bouncing ball by hand: Moreau-Jean for m z'' = -m g over a floor at z = 0.
 *
 * given:   m, g, e, theta, activation_gamma
 * initial: z, z_dot
 * row:     z, z_dot, gap, gap_rate, impulse, newton_iterations, rank_deficiency
 */
enum { WIDTH = 7 };

static double *record(double *row, double z, double v, double impulse, double iterations)
{
    row[0] = z;
    row[1] = v;
    row[2] = z;
    row[3] = v;
    row[4] = impulse;
    row[5] = iterations;
    row[6] = 0.0;
    return row + WIDTH;
}

void simulate(long steps, double h, const double *given, const double *initial, double *time, double *row)
{
    const double m = given[0], g = given[1], e = given[2], theta = given[3], gamma = given[4];
    const double fall = h * (m * g) / m;
    double z = initial[0], v = initial[1];

    time[0] = 0.0;
    row = record(row, z, v, 0.0, 0.0);
    for (long k = 1; k <= steps; ++k) {
        double v_last = v, impulse = 0.0;
        v = v_last - fall;
        if (z + gamma * h * v_last <= 0.0) {
            double short_of = v + e * v_last; /* must not be negative after the impact */
            if (short_of < 0.0) {
                impulse = -m * short_of;
                v += impulse / m;
            }
        }
        z += h * (theta * v + (1.0 - theta) * v_last);
        time[k] = k * h;
        row = record(row, z, v, impulse, 1.0);
    }
}
