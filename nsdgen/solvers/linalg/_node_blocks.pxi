"""The blocks of a matrix whose rows are gathered in nodes: which there are, and in which each entry stands."""


def node_blocks(const int[::1] row, const int[::1] column, int count):
    """Block rows of ``count`` nodes from the nodes of entries: where each begins (count + 1), the nodes of its columns.

    The diagonal block comes first and is always there, the others ascend. The third array says in which block each
    entry stands.
    """
    cdef int size = <int> row.shape[0], i, e, k = 0, last, place = 0
    cdef int[::1] start = np.empty(count + 1, dtype=np.intc), block = np.empty(size, dtype=np.intc)
    cdef int[::1] nodes = np.empty(count + size, dtype=np.intc)
    cdef int* by_column = <int*> malloc((2 * <size_t> size + count + 1) * sizeof(int))
    cdef int* order = by_column + size
    cdef int* first = order + size
    if by_column == NULL:
        raise MemoryError
    with nogil:
        _sort(count, size, &column[0] if size else NULL, NULL, first, by_column)
        _sort(count, size, &row[0] if size else NULL, by_column, first, order)
        for i in range(count):
            start[i] = k
            nodes[k] = last = i
            k += 1
            while place < size and row[order[place]] == i:
                e = order[place]
                place += 1
                if column[e] == i:
                    block[e] = start[i]
                    continue
                if column[e] != last:
                    nodes[k] = last = column[e]
                    k += 1
                block[e] = k - 1
        start[count] = k
    free(by_column)
    return np.asarray(start), np.asarray(nodes[:k]), np.asarray(block)


def largest_entries(const double[:, ::1] matrix, const int[::1] node, int count):
    """The largest |entry| of each block of a dense matrix over ``count`` nodes, (count, count); ``node`` is that of a row."""
    cdef double[:, ::1] largest = np.zeros((count, count))
    cdef Py_ssize_t n = node.shape[0], i, j
    cdef double size
    with nogil:
        for i in range(n):
            for j in range(n):
                size = fabs(matrix[i, j])
                if size > largest[node[i], node[j]]:
                    largest[node[i], node[j]] = size
    return np.asarray(largest)
