"""Whether rows of doubles are independent, found without rounding, for Python."""


def independent_rows(const double[:, ::1] matrix):
    """Whether the rows are surely independent, found without rounding."""
    cdef Py_ssize_t i, j, columns = matrix.shape[1]
    cdef double[:, ::1] rest = matrix.copy()
    if matrix.shape[0] > columns:
        return False
    for i in range(matrix.shape[0]):
        for j in range(columns):
            rest[i, j] = residue_of(matrix[i, j])
    return matrix.shape[0] == 0 or independent(<int> matrix.shape[0], <int> columns, &rest[0, 0])
