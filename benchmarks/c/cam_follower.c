/* The cam follower by hand: Moreau-Jean for mu u'' + zeta u' + kappa u = -load(t), u >= 0.
 *
 * given:   mu, zeta, kappa, omega, e, R_b, k1, k2, rho1, rho2, rho3, beta1, beta2, beta3,
 *          theta, activation_gamma
 * initial: u, u_dot
 * row:     u, u_dot, gap, gap_rate, impulse, newton_iterations, rank_deficiency
 *
 * W is constant, and the load at the end of a step serves again at the start of the next.
 */
#include "cam_profile.h"

enum { WIDTH = 7 };

static double *record(double *row, double u, double v, double impulse, double iterations)
{
    row[0] = u;
    row[1] = v;
    row[2] = u;
    row[3] = v;
    row[4] = impulse;
    row[5] = iterations;
    row[6] = 0.0;
    return row + WIDTH;
}

void simulate(long steps, double h, const double *given, const double *initial, double *time, double *row)
{
    const Cam p = {given[0], given[1], given[2], given[3],  given[4],  given[5],  given[6],
                   given[7], given[8], given[9], given[10], given[11], given[12], given[13]};
    const double theta = given[14], gamma = given[15];
    const double W = p.mu + h * theta * p.zeta + h * h * theta * theta * p.kappa;
    double u = initial[0], v = initial[1], load = cam_load(&p, 0.0);

    time[0] = 0.0;
    row = record(row, u, v, 0.0, 0.0);
    for (long k = 1; k <= steps; ++k) {
        double v_last = v, impulse = 0.0, load_last = load;
        time[k] = k * h;
        load = cam_load(&p, time[k]);
        v -= h * (p.zeta * v_last + p.kappa * (u + theta * h * v_last) + theta * load + (1.0 - theta) * load_last) / W;
        if (u + gamma * h * v_last <= 0.0) {
            double short_of = v + p.e * v_last; /* must not be negative after the impact */
            if (short_of < 0.0) {
                impulse = -W * short_of;
                v += impulse / W;
            }
        }
        u += h * (theta * v + (1.0 - theta) * v_last);
        row = record(row, u, v, impulse, 1.0);
    }
}
