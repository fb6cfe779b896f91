/* Nanoseconds per call of the kernels of a model, of CasADi's functions and of PyDy's: the loop is in C for all. */
#include <string.h>
#include <time.h>

#include "nsdgen_abi.h"

typedef int (*casadi_call)(const double **arg, double **res, long long *iw, double *w, int mem);
typedef void (*pydy_call)(const double *q, const double *v, const double *p, double *mass, double *force);

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * t.tv_sec + t.tv_nsec;
}

const nsdgen_kernel *find(const nsdgen_module *module, int number, const char *name)
{
    const nsdgen_class *c = &module->classes[number];
    for (int i = 0; i < c->n_kernels; i++)
        if (!strcmp(c->kernels[i].name, name))
            return &c->kernels[i];
    return 0;
}

double time_kernel(const nsdgen_kernel *kernel, const double *const *in, double *const *out, long count)
{
    double began = now();
    for (long i = 0; i < count; i++)
        kernel->call(in, out);
    return (now() - began) / count;
}

/* One kernel of a class for all its instances, called as the stepper calls it. */
double time_instances(const nsdgen_kernel *kernel, const double *const *const *in, double *const *const *out, int instances,
                      long count)
{
    double began = now();
    for (long i = 0; i < count; i++)
        for (int k = 0; k < instances; k++)
            kernel->call(in[k], out[k]);
    return (now() - began) / count;
}

double time_casadi_instances(casadi_call call, const double ***arg, double ***res, double *w, int instances, long count)
{
    double began = now();
    for (long i = 0; i < count; i++)
        for (int k = 0; k < instances; k++)
            call(arg[k], res[k], 0, w, 0);
    return (now() - began) / count;
}

double time_casadi(casadi_call call, const double **arg, double **res, double *w, long count)
{
    double began = now();
    for (long i = 0; i < count; i++)
        call(arg, res, 0, w, 0);
    return (now() - began) / count;
}

double time_pydy(pydy_call call, const double **arg, double **res, long count)
{
    double began = now();
    for (long i = 0; i < count; i++)
        call(arg[0], arg[1], arg[2], res[0], res[1]);
    return (now() - began) / count;
}
