/* The cam: circular arcs, differentiated by hand. Used by the hand-written contestant and by
 * the force plugin of the peer. */
#ifndef CAM_PROFILE_H
#define CAM_PROFILE_H

#include <math.h>

#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

typedef struct {
    double mu, zeta, kappa, omega, e, base, k1, k2, rho1, rho2, rho3, beta1, beta2, beta3;
} Cam;

typedef struct {
    double height, slope, curvature; /* c and its derivatives by the angle */
} Lift;

/* -k s + rho S with S = sqrt(1 - (k c / rho)^2), where s and c are sine and cosine of the angle. */
static inline Lift arc(double k, double rho, double s, double c)
{
    double a = k / rho, a2 = a * a;
    double S = sqrt(1.0 - a2 * c * c);
    double S1 = a2 * s * c / S;
    double S2 = (a2 * (c * c - s * s) - S1 * S1) / S;
    return (Lift){-k * s + rho * S, -k * c + rho * S1, k * s + rho * S2};
}

/* The load mu c'' + zeta c' + kappa c at a time; the grouping inside fmod decides ties at joints. */
static inline double cam_load(const Cam *p, double t)
{
    double angle = fmod(p->omega * t + M_PI / 2.0, 2.0 * M_PI), speed = p->omega;
    Lift lift = {p->base, 0.0, 0.0};

    if (angle > M_PI) {
        angle = 2.0 * M_PI - angle;
        speed = -speed;
    }
    if (angle > M_PI / 2.0 - p->beta1) {
        if (angle <= M_PI / 2.0 + p->beta2) {
            lift = arc(p->k1, p->rho1, sin(angle), cos(angle));
        } else if (angle <= M_PI / 2.0 + p->beta3) {
            double turned = angle + M_PI / 9.0; /* the same arc a quarter turn further */
            lift = arc(p->k2, p->rho3, cos(turned), -sin(turned));
        } else {
            lift.height = p->rho2;
        }
    }
    return p->mu * speed * speed * lift.curvature + p->zeta * speed * lift.slope + p->kappa * lift.height;
}

#endif
