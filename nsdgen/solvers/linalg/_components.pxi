"""The connected parts of the graph of a matrix: rows that no stored entry connects are problems of their own."""


def split(const int[::1] start, const int[::1] column, int[::1] order, int[::1] first):
    """Parts of the graph of rows: row i is connected to ``column[start[i]]`` ... ``column[start[i + 1] - 1]``.

    Fills ``order`` (rows): the rows part by part, ascending in each, parts by their first
    row; and ``first`` (rows + 1). Returns the number of parts and the seconds taken.
    """
    cdef int count = <int> order.shape[0], parts
    cdef int* parent = <int*> malloc((2 * count + 1) * sizeof(int))
    if parent == NULL:
        raise MemoryError
    cdef double seconds
    with nogil:
        seconds = now()
        parts = _split(count, &start[0], &column[0] if column.shape[0] else NULL, parent, parent + count, &order[0], &first[0])
        seconds = now() - seconds
    free(parent)
    return parts, seconds


cdef int _split(
    int count, const int* start, const int* column, int* parent, int* label, int* order, int* first
) noexcept nogil:
    cdef int i, b, parts
    for i in range(count):
        parent[i] = i
    for i in range(count):
        for b in range(start[i], start[i + 1]):
            if column[b] != i:
                join(parent, i, column[b])
    parts = number_sets(count, parent, label)
    for i in range(parts + 1):
        first[i] = 0
    for i in range(count):
        first[label[i] + 1] += 1
    for i in range(parts):
        first[i + 1] += first[i]
        parent[i] = first[i]
    for i in range(count):
        order[parent[label[i]]] = i
        parent[label[i]] += 1
    return parts
