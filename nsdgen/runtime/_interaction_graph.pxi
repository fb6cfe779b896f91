"""A of a large one-step problem, in blocks over the interaction graph.

Two relations share a block of A where they are attached to the same group of systems:
A_pq = dy_p/dlambda_q + sum over these groups of C_p W^-1 B_q. The cost is linear in the
number of such pairs.
"""


cdef void number_nodes(Stage *s) noexcept nogil:
    """Number the relations in play, and the borders of singular groups, island by island, as they are found.

    ``slot`` marks the groups that have been looked at; ``member`` serves as the queue.
    """
    cdef BoundRelation *r
    cdef int i, k, found = 0, seen = 0
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
            if s.member[seen] < s.n_relations:
                r = &s.relation[s.member[seen]]
                for k in range(r.n_attached):
                    if r.attached[k].shape.seen and not s.slot[r.attached[k].group]:
                        s.slot[r.attached[k].group] = 1
                        found = number_group(s, r.attached[k].group, found)
            seen += 1
    s.graph.island[s.graph.islands] = found


cdef int number_group(Stage *s, int group, int found) noexcept nogil:
    """Number what meets on a group, from ``found`` on: its relations and its border; where the numbers end."""
    cdef Group *g = &s.group[group]
    cdef int j, next
    for j in range(g.n_seen):
        next = g.link_relation[g.seen[j]]
        if s.relation[next].in_play and s.node[next] < 0:
            s.node[next] = found
            s.member[found] = next
            found += 1
    if g.augmented or g.n_border:
        g.node = found
    for j in range(g.n if g.augmented else 0):
        s.member[found] = s.n_relations + s.n_groups + g.first + j
        found += 1
    if g.n_border:
        s.member[found] = s.n_relations + group
        found += 1
    return found


cdef int neighbours(Stage *s, int p, int stamp, int *found) noexcept nogil:
    """The nodes that share a group with node p, itself first, into ``found`` (or NULL); how many.

    ``slot`` marks those seen by the stamp.
    """
    cdef BoundRelation *r
    cdef const Group *g
    cdef int k, count = 1
    s.slot[p] = stamp
    if found != NULL:
        found[0] = p
    if unknown_number(s, s.member[p]) >= 0:
        return meet_around(s, unknown_number(s, s.member[p]), stamp, found, count)
    if s.member[p] >= s.n_relations:
        return find_meeting(s, &s.group[s.member[p] - s.n_relations], stamp, found, count)
    r = &s.relation[s.member[p]]
    for k in range(r.n_attached):
        g = &s.group[r.attached[k].group]
        if g.augmented:
            count = meet_unknowns(s, g, &r.attached[k], stamp, found, count)
        elif r.attached[k].shape.seen:
            count = find_meeting(s, g, stamp, found, count)
    return count


cdef int find_meeting(Stage *s, const Group *g, int stamp, int *found, int count) noexcept nogil:
    """The nodes of a group that the stamp has not seen, after the ``count`` found already; how many then."""
    cdef int j
    for j in range(g.n_seen + (g.n_border > 0)):
        count = visit(s, s.node[g.link_relation[g.seen[j]]] if j < g.n_seen else g.node, stamp, found, count)
    return count


cdef void order_nodes(Stage *s) noexcept nogil:
    """The nodes of each island in the order in which they are eliminated, borders last."""
    cdef int i, p, k
    for k in range(s.graph.islands):
        for p in range(s.graph.island[k], s.graph.island[k + 1]):
            s.slot[p] = k
    for k in range(s.graph.islands):
        s.graph.lu_start[k] = s.graph.island[k]  # where the next node of the island goes
    if s.augmented != NULL and s.augmented.rows:
        for i in range(s.n_relations + s.augmented.n):
            put_in_order(s, node_of(s, s.augmented.order[i]))
    else:
        for i in range(s.n_relations):
            put_in_order(s, s.node[s.priority[i]])
    for i in range(s.n_groups if s.n_border else 0):
        if s.group[i].n_border:
            put_in_order(s, s.group[i].node)


cdef int node_of(const Stage *s, int i) noexcept nogil:
    """The node of a relation or, from n_relations on, of an unknown; -1 where it is not in the graph."""
    cdef const Group *g
    if i < s.n_relations:
        return s.node[i]
    g = &s.group[s.augmented.group[i - s.n_relations]]
    return g.node + i - s.n_relations - g.first if g.augmented else -1


cdef void put_in_order(Stage *s, int p) noexcept nogil:
    """A node as the next one of its island, whose number is in its slot."""
    cdef int k
    if p >= 0:
        k = <int> s.slot[p]
        s.graph.order[s.graph.lu_start[k]] = p
        s.graph.lu_start[k] += 1


cdef int height(const Stage *s, int p) noexcept nogil:
    """How many rows a node has."""
    cdef int i = s.member[p]
    if i >= s.n_relations + s.n_groups:
        return 1
    return s.relation[i].m if i < s.n_relations else s.group[i - s.n_relations].n_border


cdef int number_rows(Stage *s, int nodes) noexcept nogil:
    """The first row of each node, and the cones of its rows; how many rows there are."""
    cdef BoundRelation *r
    cdef Group *g
    cdef int p, i, rows = 0
    for p in range(nodes):
        s.slot[p] = 0
        s.graph.row[p] = rows
        if s.member[p] < s.n_relations:
            r = &s.relation[s.member[p]]
            r.row = rows
            memcpy(s.graph.cone + rows, r.form.cone, r.m * sizeof(int))
        elif unknown_number(s, s.member[p]) >= 0:
            s.graph.cone[rows] = EQUALITY
            g = &s.group[s.augmented.group[unknown_number(s, s.member[p])]]
            g.border = rows - (p - g.node)
        else:
            s.group[s.member[p] - s.n_relations].border = rows
            for i in range(height(s, p)):
                s.graph.cone[rows + i] = EQUALITY
        rows += height(s, p)
    s.graph.row[nodes] = rows
    return rows


cdef int count_borders(const Stage *s) noexcept nogil:
    cdef int i, count = 0
    for i in range(s.n_groups if s.n_border else 0):
        count += s.group[i].n_border > 0
    return count


cdef int lay_out(Stage *s) noexcept nogil:
    """The graph of the relations in play: nodes, rows, blocks, elimination order.

    -1 without memory, 1 where a border meets no relation.
    """
    cdef int p, q, c, blocks = 0, count = 0, nodes = s.n_play + count_borders(s), rows = s.n_rows + s.n_border
    cdef int unknowns = s.augmented.rows if s.augmented != NULL else 0
    cdef size_t values = 0
    nodes += unknowns
    rows += unknowns
    if one_step_reserve(&s.graph, nodes, rows, 0, 0):
        return -1
    number_nodes(s)
    if s.graph.island[s.graph.islands] < nodes:
        return 1
    number_rows(s, nodes)
    for p in range(nodes):
        blocks += neighbours(s, p, p + 1, NULL)
    if one_step_reserve(&s.graph, nodes, rows, blocks, 0):
        return -1
    for p in range(nodes):
        s.slot[p] = 0
    for p in range(nodes):
        s.graph.start[p] = count
        count += neighbours(s, p, p + 1, s.graph.column + count)
        for c in range(s.graph.start[p], count):
            q = s.graph.column[c]
            s.graph.place[c] = values
            values += height(s, p) * height(s, q)
    s.graph.start[nodes] = count
    if one_step_reserve(&s.graph, nodes, rows, blocks, values):
        return -1
    order_nodes(s)
    for p in range(nodes if s.augmented != NULL else 0):
        s.augmented.node[p] = unknown_number(s, s.member[p]) >= 0
    s.graph.n, s.graph.rows = nodes, rows
    s.b, s.z, s.y = s.graph.b, s.graph.z, s.graph.y
    s.laid_out = s.rebound = 1
    s.graph.relaid = 1
    return 0


cdef int assemble_graph(Stage *s) noexcept nogil:
    """The blocks of A of the relations in play, their graph first where it changed; 0, -1 without memory, 1 where a
    border is left alone."""
    cdef int p, c, status, anew = not s.laid_out
    cdef size_t begin, end
    if anew:
        status = lay_out(s)
        if status:
            return status
    for p in range(s.graph.n):
        if not (anew or meets_news(s, p)):
            continue
        begin = end = s.graph.place[s.graph.start[p]]
        for c in range(s.graph.start[p], s.graph.start[p + 1]):
            s.slot[s.graph.column[c]] = end
            end += height(s, p) * height(s, s.graph.column[c])
        memset(s.graph.value + begin, 0, (end - begin) * sizeof(double))  # the blocks of a row lie in order
        if s.member[p] < s.n_relations:
            assemble_relation(s, p, &s.relation[s.member[p]])
        elif unknown_number(s, s.member[p]) >= 0:
            assemble_unknown(s, unknown_number(s, s.member[p]))
        else:
            assemble_border(s, &s.group[s.member[p] - s.n_relations])
    s.graph.changed = 1
    return 0


cdef bint meets_news(const Stage *s, int p) noexcept nogil:
    """Whether a block in the row of node p is out of date: the derivatives of the node, or of one that it meets."""
    cdef int c, member
    for c in range(s.graph.start[p], s.graph.start[p + 1]):
        member = s.member[s.graph.column[c]]
        if member >= s.n_relations or s.is_renewed[member]:
            return True
    return False


cdef void assemble_relation(Stage *s, int p, BoundRelation *r) noexcept nogil:
    """The rows of A of one relation; ``slot`` says where their blocks begin."""
    cdef Attachment *at
    cdef Group *g
    cdef double *block = s.graph.value + s.graph.place[s.graph.start[p]]
    cdef BoundRelation *other
    cdef int q, k, j, i
    memcpy(block, r.output_lambda, r.m * r.m * sizeof(double))
    for i in range(r.m):
        s.diagonal[r.row + i] = 0.0
    for k in range(r.n_attached):
        at = &r.attached[k]
        g = &s.group[at.group]
        if g.augmented:
            assemble_in_unknowns(s, r, at, g)
            continue
        if g.sparse:
            assemble_row_by_row(s, r, at, g)
            continue
        for j in range(g.n_seen if at.shape.seen else 0):
            q = s.node[g.link_relation[g.seen[j]]]
            if q >= 0:
                other = &s.relation[g.link_relation[g.seen[j]]]
                nsd_block_product(s.graph.value + s.slot[q], other.m, output_x(at), r.m, at.n,
                                  solved(&other.attached[g.link_attached[g.seen[j]]]) + at.offset * other.m, other.m)
    for i in range(r.m):
        s.diagonal[r.row + i] += block[i * (r.m + 1)]


cdef void assemble_row_by_row(Stage *s, BoundRelation *r, Attachment *at, Group *g) noexcept nogil:
    """The same over a group with a sparse W."""
    cdef BoundRelation *other
    cdef double *border
    cdef int i, j, q
    for i in range(r.m if at.shape.output_x.nnz else 0):
        coupled_row(g, at, i)
        for j in range(g.n_seen):
            q = s.node[g.link_relation[g.seen[j]]]
            if q >= 0:
                other = &s.relation[g.link_relation[g.seen[j]]]
                add_row_product(s.graph.value + s.slot[q] + i * other.m, g.coupled.row,
                                &other.attached[g.link_attached[g.seen[j]]])
        if g.n_border:
            border = s.graph.value + s.slot[g.node] + i * g.n_border
            for j in range(g.n_border):
                border[j] += g.coupled.left_row[j]


cdef void assemble_border(Stage *s, Group *g) noexcept nogil:
    """The rows of A of the border of a singular group."""
    cdef BoundRelation *r
    cdef int j
    for j in range(g.n_seen):
        r = &s.relation[g.link_relation[g.seen[j]]]
        if r.in_play:
            coupled_columns(g, r, g.seen[j], s.graph.value + s.slot[s.node[g.link_relation[g.seen[j]]]], r.m)


cdef void subtract_products(Stage *s) noexcept nogil:
    """b -= A lambda with the multipliers as they are."""
    cdef BoundRelation *other
    cdef int p, q, c
    for p in range(s.graph.n):
        for c in range(s.graph.start[p], s.graph.start[p + 1]):
            q = s.graph.column[c]
            if s.member[q] >= s.n_relations:  # the unknowns of a border are moves, not multipliers
                continue
            other = &s.relation[s.member[q]]
            nsd_block_subtract(height(s, p), other.m, s.graph.value + s.graph.place[c], other.multiplier,
                               s.b + s.graph.row[p])
