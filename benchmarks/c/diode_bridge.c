/* The diode bridge by hand: theta-gamma for v' = (-i + lam3 - lam2) / C, i' = v / L and
 *
 *     y = ((lam0 + lam1) / R - lam2, (lam0 + lam1) / R - lam3, lam0 - v, lam1 + v),
 *     0 <= y, 0 <= lam, y_j lam_j = 0.
 *
 * given:   L, C, R, theta, gamma
 * initial: v, i
 * row:     v, i, g[0..1], lam0..3, y[0..3], newton_iterations, rank_deficiency
 *
 * The problem w = M lam + q of a step has a constant M, so lam = G q with one constant matrix
 * G for each of the sixteen sets of positive multipliers: the set of the last step is tried
 * first, and where it has a wrong sign the others are searched.
 */
#include <math.h>
#include <string.h>

enum { WIDTH = 14, SETS = 16 };

typedef struct {
    int regular;
    double G[4][4]; /* lam = G q, rows of the set only */
    double S[4][4]; /* w = S q */
} Guess;

static void swap_rows(double a[4][8], int i, int j)
{
    double keep[8];
    memcpy(keep, a[i], sizeof keep);
    memcpy(a[i], a[j], sizeof keep);
    memcpy(a[j], keep, sizeof keep);
}

/* Gauss-Jordan with pivoting on [A | I]; 0 where A is singular. */
static int invert(int n, double a[4][8])
{
    for (int c = 0; c < n; ++c) {
        int best = c;
        for (int r = c + 1; r < n; ++r)
            if (fabs(a[r][c]) > fabs(a[best][c]))
                best = r;
        if (fabs(a[best][c]) < 1e-13)
            return 0;
        swap_rows(a, c, best);
        double pivot = a[c][c];
        for (int k = 0; k < 8; ++k)
            a[c][k] /= pivot;
        for (int r = 0; r < n; ++r) {
            double factor = a[r][c];
            for (int k = 0; k < 8 && r != c; ++k)
                a[r][k] -= factor * a[c][k];
        }
    }
    return 1;
}

static Guess prepare(int set, double M[4][4])
{
    Guess guess = {0};
    double a[4][8] = {{0}};
    int member[4], n = 0;
    for (int j = 0; j < 4; ++j)
        if (set >> j & 1)
            member[n++] = j;
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c)
            a[r][c] = M[member[r]][member[c]];
        a[r][4 + r] = 1.0;
    }
    guess.regular = invert(n, a);
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c)
            guess.G[member[r]][member[c]] = -a[r][4 + c];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            guess.S[i][j] = i == j ? 1.0 : 0.0;
            for (int k = 0; k < 4; ++k)
                guess.S[i][j] += M[i][k] * guess.G[k][j];
        }
    return guess;
}

/* lam from q with one guess; whether all signs are right. Only q[2] and q[3] are not zero. */
static int fits(const Guess *guess, int set, double q2, double q3, double *lam)
{
    const double slack = -1e-14 * (fabs(q2) + fabs(q3));
    int right = guess->regular;
    for (int j = 0; j < 4; ++j) {
        lam[j] = guess->G[j][2] * q2 + guess->G[j][3] * q3;
        right &= (set >> j & 1 ? lam[j] : guess->S[j][2] * q2 + guess->S[j][3] * q3) >= slack;
    }
    return right;
}

static int solve(const Guess guess[SETS], int set, double q2, double q3, double *lam)
{
    if (fits(&guess[set], set, q2, q3, lam))
        return set;
    for (int other = 0; other < SETS; ++other)
        if (fits(&guess[other], other, q2, q3, lam))
            return other;
    return set;
}

static double *record(double *row, const double x[2], const double g[2], const double lam[4], double R,
                      double iterations)
{
    double through = lam[0] / R + lam[1] / R;
    memcpy(row, x, 2 * sizeof *row);
    memcpy(row + 2, g, 2 * sizeof *row);
    memcpy(row + 4, lam, 4 * sizeof *row);
    row[8] = through - lam[2];
    row[9] = through - lam[3];
    row[10] = lam[0] - x[0];
    row[11] = lam[1] + x[0];
    row[12] = iterations;
    row[13] = 0.0;
    return row + WIDTH;
}

void simulate(long steps, double h, const double *given, const double *initial, double *time, double *row)
{
    const double L = given[0], C = given[1], R = given[2], theta = given[3], gamma = given[4];
    const double a = h * theta / C, b = h * theta / L, det = 1.0 + a * b; /* W = [1, a; -b, 1] */
    const double reach = h * gamma / C / det;                             /* dv / d(lam3 - lam2) */
    double M[4][4] = {{1.0 / R, 1.0 / R, -1.0, 0.0},
                      {1.0 / R, 1.0 / R, 0.0, -1.0},
                      {1.0, 0.0, reach, -reach},
                      {0.0, 1.0, -reach, reach}};
    double x[2] = {initial[0], initial[1]}, g[2] = {0.0, 0.0}, lam[4] = {0.0, 0.0, 0.0, 0.0};
    Guess guess[SETS];
    int set = 0;

    for (int s = 0; s < SETS; ++s)
        guess[s] = prepare(s, M);
    time[0] = 0.0;
    row = record(row, x, g, lam, R, 0.0);
    for (long k = 1; k <= steps; ++k) {
        double left = x[0] - h * (1.0 - theta) * x[1] / C + h * (1.0 - gamma) * g[0];
        double right = x[1] + h * (1.0 - theta) * x[0] / L;
        double v = (left - a * right) / det, push;
        set = solve(guess, set, -v, v, lam);
        push = h * gamma * (lam[3] - lam[2]) / C / det;
        x[0] = v + push;
        x[1] = (right + b * left) / det + b * push;
        g[0] = (lam[3] - lam[2]) / C;
        time[k] = k * h;
        row = record(row, x, g, lam, R, 1.0);
    }
}
