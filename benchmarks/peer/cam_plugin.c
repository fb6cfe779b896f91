/* The force on the cam follower as a plugin of the peer. */
#include "../c/cam_profile.h"

static Cam cam;

void set_cam(const double *p)
{
    cam = (Cam){p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11], p[12], p[13]};
}

void cam_force(double time, unsigned int size, double *force, unsigned int size_z, double *z)
{
    (void)size;
    (void)size_z;
    (void)z;
    force[0] = -cam_load(&cam, time);
}
