# cython: language_level=3
"""What one dense complementarity problem is solved in: its arrays, and what came of it."""

cdef enum MlcpStatus:
    MLCP_OK = 0
    MLCP_INFEASIBLE = 1  # proved: no z meets the sign conditions of both z and y
    MLCP_RAY = 2  # pivoting left along a ray and no other way found a solution
    MLCP_INCONSISTENT = 3  # the equality rows contradict each other
    MLCP_NOT_CONVERGED = 4  # nothing that was found passes the certificate
    MLCP_NONFINITE = 5  # A or b holds an infinity or a NaN

cdef enum MlcpMethod:
    MLCP_CLOSED_FORM = 0  # n <= 1
    MLCP_ACTIVE_SET = 1  # the guess, perhaps after a few corrections
    MLCP_PIVOTING = 2
    MLCP_LEAST_NORM = 3  # the shortest of many solutions

cdef struct MlcpInfo:
    int status  # MlcpStatus
    int pivots  # active sets solved plus exchanges made
    int rank_deficiency  # > 0 where z is not unique: |J| - rank(A_JJ), J as below
    int method  # MlcpMethod
    double residual  # largest row-scaled residual of the z and y returned
    int worst_row  # its row (the contradictory one for MLCP_INCONSISTENT), -1 for n = 0

cdef struct MlcpWork:
    int n  # largest size that fits; mlcp_solve takes any n up to it
    double tolerance  # of the certificate; set to 1e-8 by mlcp_work_init
    # What follows is private to the solver.
    int dependent  # how many rows the last problem had, if all were equalities and depended on each other
    int size, count, rank, pivots, scaled
    int unique  # the solution found is known to be the only one
    double sign_tolerance
    const double* a
    const double* b
    const int* cone
    const double* lo  # of rows between two bounds, and NULL otherwise, as the two that follow
    const double* hi
    double* at  # the bound that a row is at which is not active
    double* factor  # n x n: A_JJ, factored
    double* shifted  # n x n: A with its diagonal shifted
    double* z
    double* y
    double* magnitude  # of the terms of each row of A z + b
    double* right
    double* kept
    double* scale  # of the rows of A, where ``scaled``
    double* scratch
    int* active  # 1 on the rows where y_i = 0 is imposed
    int* guess
    int* index  # the active rows in order, count of them
    int* pivot
    int* iscratch
