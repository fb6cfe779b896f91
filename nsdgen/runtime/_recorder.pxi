"""What of the steps of a run leaves the loop, which runs block by block through one room."""

cdef enum:
    BLOCK = 128  # steps, at most, between two looks at what they made
    LARGEST = 0  # a kind of what is kept of a column
    SMALLEST = 1  # another one


cdef class Recorder:
    """The room in which steps are looked at block by block, and what is kept of them: ``Recorder(model)``."""

    def __init__(self, BoundModel model):
        self.model = model
        self.most = max(<long>1, min(<long>BLOCK, <long>CACHE // max(model.width, <long>1)))
        self.block = model.arrays.arena.doubles(self.most * model.width)
        self.ends = model.arrays.arena.doubles(self.most)
        self.good = model.arrays.arena.doubles(model.width)

    def keep(self, columns, long every, long since=0, int when=-1, long last=-1, bint cuts=False, reduced=(), kinds=(),
             double begins=-INFINITY):
        """Choose what :meth:`~nsdgen.runtime._stepper.Stepper.advance` keeps from here on: columns (k,) of the record, see ``Keeping``.

        None: all of them. Gives the array (r + 1,) in which columns ``reduced`` are reduced by ``kinds``: 0 largest,
        1 smallest, 2 sum; its last entry is the number of records reduced. Nothing where every record is kept whole.
        """
        cdef const int[::1] chosen, sources, how
        cdef double[::1] found
        cdef Keeping *k = &self.keeping
        k.since, k.every, k.last, k.when, k.cuts, k.cut_at = since, every, last, when, cuts, self.model.cut_at
        k.begins = begins
        k.n, k.n_reduced = self.model.width if columns is None else len(columns), len(reduced)
        k.whole = columns is None and every == 1 and cuts and since == 0 and when < 0 and not k.n_reduced
        if k.whole:
            return None
        chosen = np.ascontiguousarray(np.arange(k.n) if columns is None else columns, dtype=np.intc)
        sources, how = (np.ascontiguousarray(given, dtype=np.intc) for given in (reduced, kinds))
        values = np.array([*((-np.inf, np.inf, 0.0)[kind] for kind in kinds), 0.0], dtype=float)
        found = values
        if k.n:
            k.column = &chosen[0]
        if k.n_reduced:
            k.reduced, k.kind, k.value = &sources[0], &how[0], &found[0]
        self.arrays = chosen, sources, how, values
        return values

    cdef long most_steps(self, long count, long room) noexcept nogil:
        """How many of the next ``count`` steps may be made at once, for whose records there is so much room."""
        if not self.keeping.whole:
            count = min(count, self.most)
        return min(count, max((room - 1) * self.keeping.every, <long>1)) if self.keeping.every else count


cdef long keep_rows(const Keeping *asked, long width, long pitch, long number, bint cut, long count, const double *block,
               const double *ends, double *rows, double *times) noexcept nogil:
    """Keep what is to be kept of ``count`` steps from ``number`` on; how many rows. A step that was cut has no number.

    ``width`` numbers lie between two records, ``pitch`` between two entries of one.
    """
    cdef Keeping keep = asked[0]  # nothing that is written lies in it
    cdef long k, written = 0, first = max(keep.since - number, <long>0)
    cdef const double *row
    cdef int i
    if cut and ends[0] < keep.begins:
        return 0
    for i in range(keep.n_reduced):
        reduce(&keep, i, width, pitch, first, count, block)
    if keep.n_reduced:
        keep.value[keep.n_reduced] += max(count - first, <long>0)
    for k in range(first, count):
        row = block + k * width
        if wanted(&keep, row, pitch, number + k, cut):
            for i in range(keep.n):
                rows[written * keep.n + i] = row[keep.column[i] * pitch]
            times[written] = ends[k]
            written += 1
    return written


cdef void reduce(const Keeping *keep, int i, long width, long pitch, long first, long count,
                 const double *block) noexcept nogil:
    """Reduce the i-th column over steps ``first`` <= k < ``count`` of a block."""
    cdef double found = keep.value[i], value
    cdef long k
    for k in range(first, count):
        value = block[k * width + keep.reduced[i] * pitch]
        if keep.kind[i] == LARGEST:
            found = value if not (value <= found or found != found) else found  # what is no number stays
        elif keep.kind[i] == SMALLEST:
            found = value if not (value >= found or found != found) else found
        else:
            found += value
    keep.value[i] = found


cdef inline bint wanted(const Keeping *keep, const double *row, long pitch, long number, bint cut) noexcept nogil:
    if keep.when >= 0 and not row[keep.when * pitch] > 0:
        return False
    if keep.cuts and (cut or keep.cut_at >= 0 and row[keep.cut_at * pitch] != 0):
        return True
    if cut or not keep.every:
        return False
    return keep.every == 1 or number % keep.every == 0 or number == keep.last
