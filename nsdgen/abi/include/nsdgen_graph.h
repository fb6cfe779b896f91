/* nsdgen_graph.h: one-step problems with friction in fused steps, handed to the general stepper's own solver.
 *
 * The graph is as the general stepper laid it out for the relations in play; a block of A is copied to its place.
 */
#ifndef NSDGEN_GRAPH_H
#define NSDGEN_GRAPH_H

#include <math.h>
#include <string.h>

/* The blocks of A (rows x rows) to their places; what was computed with the last A is out of date. */
static void nsd_write_blocks(const nsdgen_run_problem *p, int rows, const double *a)
{
    for (int i = 0; i < p->nodes; ++i)
        for (int c = p->start[i]; c < p->start[i + 1]; ++c) {
            const int j = p->column[c], width = p->row[j + 1] - p->row[j];
            for (int k = 0; k < p->row[i + 1] - p->row[i]; ++k)
                memcpy(p->value + p->place[c] + k * width, a + (p->row[i] + k) * rows + p->row[j], width * sizeof(double));
        }
    *p->changed = 1;
}

/* b -= A z, block by block. */
static void nsd_subtract_blocks(const nsdgen_run_problem *p)
{
    for (int i = 0; i < p->nodes; ++i)
        for (int c = p->start[i]; c < p->start[i + 1]; ++c) {
            const int first = p->row[p->column[c]], width = p->row[p->column[c] + 1] - first;
            const double *block = p->value + p->place[c];
            for (int j = 0; j < width; ++j)
                for (int k = 0; k < p->row[i + 1] - p->row[i] && p->z[first + j] != 0.0; ++k)
                    p->b[p->row[i] + k] -= block[k * width + j] * p->z[first + j];
        }
}

/* z with y = A z + b in the cones, from the guess in z; whether it is solved. A is NULL where it is as it was; `about` is
 * not zero where b is y at z. */
static int nsd_solve_graph(const nsdgen_run_problem *p, int rows, const double *a, const double *b, const double *bound,
                           double *z, int about)
{
    if (rows == 0)
        return 1;
    if (a != NULL)
        nsd_write_blocks(p, rows, a);
    memcpy(p->b, b, rows * sizeof(double));
    memcpy(p->z, z, rows * sizeof(double));
    memcpy(p->bound, bound, 2 * rows * sizeof(double));
    if (about)
        nsd_subtract_blocks(p);
    if (p->solve(p->graph))
        return 0;
    memcpy(z, p->z, rows * sizeof(double));
    return 1;
}

/* The natural map of a friction block that begins at a row, relative to the sizes of its rows. */
static double nsd_natural_laws(const nsdgen_run_problem *p, int height, int rows, int row, const double *a,
                               const double *bound, const double *z, const double *y, const double *size)
{
    double normal = fabs(a[row * (rows + 1)]), tangent = 0.0;
    for (int k = 1; k < height; ++k)
        tangent = fmax(tangent, fabs(a[(row + k) * (rows + 1)]));
    if (!(tangent > 0.0))
        tangent = normal > 0.0 ? normal : 1.0;
    if (!(normal > 0.0))
        normal = tangent;
    return p->laws(height, bound + 2 * row, normal, tangent, z, y, size);
}

#endif /* nsdgen_graph.h */
