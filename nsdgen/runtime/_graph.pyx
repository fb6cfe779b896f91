# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Assembly of A over the interaction graph; the interface is documented in ``_graph.pxd``.

Two relations share a block of A where they are attached to the same group of systems:
A_pq = dy_p/dlambda_q + sum over these groups of C_p W^-1 B_q. The cost is linear in the
number of such pairs.
"""
from libc.string cimport memcpy, memset

from nsdgen.runtime._data cimport Attachment, Group, RelationStage, Stage
from nsdgen.solvers._one_step cimport one_step_reserve


cdef void add_product(double *target, int stride, const double *left, int rows, int inner,
                      const double *right, int cols) noexcept nogil:
    cdef int i, j, k
    cdef double factor_
    for i in range(rows):
        for k in range(inner):
            factor_ = left[i * inner + k]
            if factor_ != 0:
                for j in range(cols):
                    target[i * stride + j] += factor_ * right[k * cols + j]


cdef void number_nodes(Stage *s) noexcept nogil:
    """Number the relations in play island by island, as they are found from the first one of each.

    ``slot`` marks the groups that have been looked at; ``member`` serves as the queue.
    """
    cdef RelationStage *r
    cdef Group *g
    cdef int i, k, j, next, found = 0, seen = 0
    for i in range(s.n_relations):
        s.node[i] = -1
    for i in range(s.n_groups):
        s.slot[i] = 0
    s.graph.islands = 0
    for i in range(s.n_play):
        if s.node[s.play[i]] >= 0:
            continue
        s.graph.island[s.graph.islands] = found
        s.graph.islands += 1
        s.node[s.play[i]] = found
        s.member[found] = s.play[i]
        found += 1
        while seen < found:
            r = &s.relation[s.member[seen]]
            seen += 1
            for k in range(r.n_attached):
                if s.slot[r.attached[k].group]:
                    continue
                s.slot[r.attached[k].group] = 1
                g = &s.group[r.attached[k].group]
                for j in range(g.n_links):
                    next = g.link_relation[j]
                    if s.relation[next].in_play and s.node[next] < 0:
                        s.node[next] = found
                        s.member[found] = next
                        found += 1
    s.graph.island[s.graph.islands] = found


cdef int neighbours(Stage *s, int p, int stamp, int *found) noexcept nogil:
    """The nodes that share a group with node p, itself first, into ``found`` (or NULL); how many.

    ``slot`` marks those seen by the stamp.
    """
    cdef RelationStage *r = &s.relation[s.member[p]]
    cdef Group *g
    cdef int k, j, q, count = 1
    s.slot[p] = stamp
    if found != NULL:
        found[0] = p
    for k in range(r.n_attached):
        g = &s.group[r.attached[k].group]
        for j in range(g.n_links):
            q = s.node[g.link_relation[j]]
            if q >= 0 and s.slot[q] != <size_t> stamp:
                s.slot[q] = stamp
                if found != NULL:
                    found[count] = q
                count += 1
    return count


cdef void order_nodes(Stage *s) noexcept nogil:
    """The nodes of each island in the order in which they are eliminated."""
    cdef int i, p, k
    for k in range(s.graph.islands):
        for p in range(s.graph.island[k], s.graph.island[k + 1]):
            s.slot[p] = k
    for k in range(s.graph.islands):
        s.graph.lu_start[k] = s.graph.island[k]  # where the next node of the island goes
    for i in range(s.n_relations):
        p = s.node[s.priority[i]]
        if p >= 0:
            k = <int> s.slot[p]
            s.graph.order[s.graph.lu_start[k]] = p
            s.graph.lu_start[k] += 1


cdef int lay_out(Stage *s) noexcept nogil:
    """The graph of the relations in play: nodes, rows, blocks, elimination order."""
    cdef RelationStage *r
    cdef int p, q, c, blocks = 0, count = 0, rows = 0
    cdef size_t values = 0
    if one_step_reserve(&s.graph, s.n_play, s.n_rows, 0, 0):
        return -1
    number_nodes(s)
    for p in range(s.n_play):
        s.slot[p] = 0
        r = &s.relation[s.member[p]]
        r.row = rows
        s.graph.row[p] = rows
        memcpy(s.graph.cone + rows, r.cone, r.m * sizeof(int))
        rows += r.m
    s.graph.row[s.n_play] = rows
    for p in range(s.n_play):
        blocks += neighbours(s, p, p + 1, NULL)
    if one_step_reserve(&s.graph, s.n_play, s.n_rows, blocks, 0):
        return -1
    for p in range(s.n_play):
        s.slot[p] = 0
    for p in range(s.n_play):
        s.graph.start[p] = count
        count += neighbours(s, p, p + 1, s.graph.column + count)
        for c in range(s.graph.start[p], count):
            q = s.graph.column[c]
            s.graph.place[c] = values
            values += s.relation[s.member[p]].m * s.relation[s.member[q]].m
    s.graph.start[s.n_play] = count
    if one_step_reserve(&s.graph, s.n_play, s.n_rows, blocks, values):
        return -1
    order_nodes(s)
    s.graph.n, s.graph.rows = s.n_play, s.n_rows
    s.b, s.z, s.y = s.graph.b, s.graph.z, s.graph.y
    s.laid_out = 1
    s.graph.relaid = 1
    return 0


cdef int assemble_graph(Stage *s) noexcept nogil:
    cdef RelationStage *r
    cdef RelationStage *other
    cdef Attachment *at
    cdef Group *g
    cdef double *block
    cdef int p, q, c, k, j, i
    if not s.laid_out and lay_out(s):
        return -1
    for p in range(s.n_play):
        r = &s.relation[s.member[p]]
        for c in range(s.graph.start[p], s.graph.start[p + 1]):
            q = s.graph.column[c]
            s.slot[q] = s.graph.place[c]
            memset(s.graph.value + s.graph.place[c], 0, r.m * s.relation[s.member[q]].m * sizeof(double))
        block = s.graph.value + s.graph.place[s.graph.start[p]]
        memcpy(block, r.output_lambda.dense, r.m * r.m * sizeof(double))
        for k in range(r.n_attached):
            at = &r.attached[k]
            g = &s.group[at.group]
            for j in range(g.n_links):
                q = s.node[g.link_relation[j]]
                if q >= 0:
                    other = &s.relation[g.link_relation[j]]
                    add_product(s.graph.value + s.slot[q], other.m, at.output_x.dense, r.m, at.n,
                                other.attached[g.link_attached[j]].solved + at.offset * other.m, other.m)
        for i in range(r.m):
            s.diagonal[r.row + i] = block[i * (r.m + 1)]
    s.graph.changed = 1
    return 0


cdef void subtract_products(Stage *s) noexcept nogil:
    cdef RelationStage *r
    cdef RelationStage *other
    cdef const double *block
    cdef int p, c, i, j
    cdef double value
    for p in range(s.n_play):
        r = &s.relation[s.member[p]]
        for c in range(s.graph.start[p], s.graph.start[p + 1]):
            other = &s.relation[s.member[s.graph.column[c]]]
            block = s.graph.value + s.graph.place[c]
            for j in range(other.m):
                value = other.multiplier[j]
                if value != 0:
                    for i in range(r.m):
                        s.b[r.row + i] -= block[i * other.m + j] * value
