"""Pools: relations that appear and vanish between steps, clones of a prototype that was bound like any other.

All that belongs to a prototype alone lies in one piece of memory, its slot. A clone is a copy of it in which addresses
within are moved along and those of participants are replaced: two lists, found once. Which clones there are is data of
a run: each has a key, keeps slot, mode and multipliers as long as its key is listed, and the relations of the
stage are the prototypes, one for each pool, then the clones of each in the order of their keys. The stages see a graph that changed.
"""


cdef class RelationPools:
    """The pools of a stepper made with ``pooled=True``, one for each of its relations: ``RelationPools(stepper)``.

    ``fill`` lists the clones of a pool, ``commit`` hands them to the stages; both between steps. The prototypes themselves
    are in no step. Clones observe nothing: their memory stays as it was at first, so that what rounding may open a gap by is for the
    gap that counts as closed. Raises ``ModelError`` for models of several stages, and for relations that couple the unknowns of
    their participants.
    """

    cdef BoundModel model
    cdef Stage *s
    cdef RelationPool *pool
    cdef readonly int n_pools
    cdef int room  # for relations
    cdef BoundRelation *relations  # room for twice as many: those of the stage, and where the next ones are listed
    cdef size_t room_rows
    cdef readonly bint changed
    cdef int room_links
    cdef int *link_relation
    cdef int *link_attached
    cdef int *link_seen
    cdef int *count
    cdef double **array  # of all systems: unknowns, states, what they freeze
    cdef int *cls

    def __init__(self, Stepper stepper):
        cdef int i, k
        self.model = stepper.model
        record, arrays = self.model.arrays.record, self.model.arrays
        if self.model.program.n_stages != 1:
            raise ModelError(f"has {self.model.program.n_stages} stages, pools are for one", model=record.name,
                             fix="use a scheme whose steps are one stage")
        self.s = &self.model.program.stage[0]
        self.n_pools = self.s.n_relations
        self.pool = <RelationPool *>arrays.common.take(self.n_pools * sizeof(RelationPool))
        self.array = <double **>arrays.common.take(N_ARRAYS * self.s.n_systems * sizeof(double *))
        self.cls = <int *>arrays.common.take(self.s.n_systems * sizeof(int))
        for i, system in enumerate(record.systems):
            self.cls[i] = system.cls
            for k, role in enumerate(_ARRAYS):
                self.array[N_ARRAYS * i + k] = arrays.at("system", i, role, 0)
        self.count = <int *>arrays.common.take((self.s.n_groups + 1) * sizeof(int))
        for k in range(self.n_pools):
            self._make(k)
        self.s.relations_observe = 0
        for k in range(self.n_pools):  # after all were copied: they are in no step
            self.s.relation[k].present = self.s.relation[k].m = self.s.relation[k].in_play = 0
        self.changed = True
        self.commit()

    cdef _make(self, int k):
        cdef RelationPool *p = &self.pool[k]
        arrays = self.model.arrays
        cdef Arena slot = arrays.slots[k]
        record = arrays.record.relations[k]
        p.relation = self.s.relation[k]
        p.m, p.n_participants = p.relation.m, p.relation.n_attached
        if p.relation.form.n_coupling or not all(
                self.s.group[self.s.system[<int>i].group].coupled == NULL for i in record.participants):
            raise ModelError("couples the unknowns of systems, and cannot be pooled", model=arrays.record.name,
                             where=f"relation {record.name!r}", fix="take gradients that the unknowns of a step do not change")
        (<RelationForm *>p.relation.form).observe = NULL
        p.cls = arrays.record.systems[record.participants[0]].cls
        cls = arrays.record.relation_classes[record.cls]
        p.n_parameters = len(cls.parameters)
        slot.keep()  # an image of what it holds now
        p.base, p.size, p.image = <const char *>slot.owned[0], slot.filled(0), slot.image
        p.parameters_at, p.multiplier_at, p.mode_at = [
            <size_t>(<char *>arrays.at("relation", k, role, 0) - p.base) for role in (Role.PARAMETERS, Role.MULTIPLIER, Role.MODE)]
        self._list_words(p, record.participants)
        self._room_for(p, FIRST)

    cdef _list_words(self, RelationPool *p, participants):
        """Which words of the slot and of the relation are addresses within the slot, or of arrays of participants."""
        cdef const char *end = p.base + p.size
        cdef const char *word
        cdef size_t at
        found = {}
        for a, system in enumerate(participants):
            for k in range(N_ARRAYS):
                found[<uintptr_t>self.array[N_ARRAYS * <int>system + <int>k]] = a, k
        moved, own, patches = [], [], []
        for at in range(0, p.size, WORD):
            word = (<const char **>(p.image + at))[0]
            if p.base <= word < end:
                moved.append(at)
            elif <uintptr_t>word in found:
                patches.append((at, *found[<uintptr_t>word]))
        for at in range(0, sizeof(BoundRelation), WORD):
            if p.base <= (<const char **>(<char *>&p.relation + at))[0] < end:
                own.append(at)
        p.n_moved, p.n_own, p.n_patches = len(moved), len(own), len(patches)
        p.moved = <size_t *>self.model.arrays.common.take(p.n_moved * sizeof(size_t))
        p.own = <size_t *>self.model.arrays.common.take(p.n_own * sizeof(size_t))
        p.patch = <Patch *>self.model.arrays.common.take(p.n_patches * sizeof(Patch))
        for i, at in enumerate(moved):
            p.moved[<int>i] = at
        for i, at in enumerate(own):
            p.own[<int>i] = at
        for i, (at, a, k) in enumerate(patches):
            p.patch[<int>i].at, p.patch[<int>i].participant, p.patch[<int>i].array = at, a, k

    # -- clones ---------------------------------------------------------------------------------

    cdef _room_for(self, RelationPool *p, int count):
        """Room for so many clones of a pool, twice as many as there was."""
        cdef Arena arena = self.model.arrays.common
        cdef int room = max(count, 2 * p.room)
        if count <= p.room:
            return
        p.slot = <char **>_grown(arena, p.slot, p.n_slots * sizeof(void *), room * sizeof(void *))
        p.unused = <int *>_grown(arena, p.unused, p.n_free * sizeof(int), room * sizeof(int))
        p.key = <long long *>_grown(arena, p.key, p.count * sizeof(long long), room * sizeof(long long))
        p.number = <int *>_grown(arena, p.number, p.count * sizeof(int), room * sizeof(int))
        p.place = <int *>_grown(arena, p.place, p.count * sizeof(int), room * sizeof(int))
        p.next_key, p.next_number = <long long *>arena.take(room * sizeof(long long)), <int *>arena.take(room * sizeof(int))
        p.next_place = <int *>arena.take(room * sizeof(int))
        p.room = room

    cdef char *_slot(self, RelationPool *p, int *number) except NULL:
        """A slot as the prototype's was; its relation stands behind it."""
        cdef char *slot
        cdef char *relation
        cdef ptrdiff_t way
        cdef int i
        if p.n_free:
            p.n_free -= 1
            number[0] = p.unused[p.n_free]
        else:
            if p.n_slots == p.room:
                self._room_for(p, p.n_slots + 1)
            self.model.arrays.common.begin_line()
            p.slot[p.n_slots] = <char *>self.model.arrays.common.take(p.size + sizeof(BoundRelation))
            number[0] = p.n_slots
            p.n_slots += 1
        slot = p.slot[number[0]]
        relation = slot + p.size
        memcpy(slot, p.image, p.size)
        memcpy(relation, &p.relation, sizeof(BoundRelation))
        way = slot - p.base
        for i in range(p.n_moved):
            (<char **>(slot + p.moved[i]))[0] += way
        for i in range(p.n_own):
            (<char **>(relation + p.own[i]))[0] += way
        return slot

    cdef void _join(self, RelationPool *p, char *slot, const int *participants) noexcept:
        """Whose a clone is: the arrays that its kernels read, and where its unknowns are."""
        cdef BoundRelation *r = <BoundRelation *>(slot + p.size)
        cdef Attachment *at
        cdef int i
        for i in range(p.n_patches):
            (<double **>(slot + p.patch[i].at))[0] = self.array[
                N_ARRAYS * participants[p.patch[i].participant] + p.patch[i].array]
        for i in range(p.n_participants):
            at = &r.attached[i]
            at.system, at.n = participants[i], self.s.system[participants[i]].n
            at.group, at.offset = self.s.system[participants[i]].group, self.s.system[participants[i]].offset
            at.rhs = self.s.group[at.group].rhs + at.offset

    def fill(self, int number, const long long[::1] keys, const int[:, ::1] participants, const double[:, ::1] parameters):
        """The clones that there are from here on: ``keys`` (n,), rising; (n, p) systems; (n, q) values of parameters.

        A key keeps its participants as long as it is listed. Raises ``ValueError`` for what does not fit.
        """
        cdef RelationPool *p = &self.pool[number]
        cdef int i, k, old = 0, n = keys.shape[0]
        cdef char *slot
        cdef BoundRelation *r
        cdef bint same = n == p.count
        if (participants.shape[0] != n or parameters.shape[0] != n or participants.shape[1] != p.n_participants
                or parameters.shape[1] != p.n_parameters):
            raise ValueError("the lists of a pool do not fit together")
        for i in range(n):
            if i and keys[i] <= keys[i - 1]:
                raise ValueError("the keys of a pool do not rise")
            for k in range(p.n_participants):
                if not 0 <= participants[i, k] < self.s.n_systems or self.cls[participants[i, k]] != p.cls:
                    raise ValueError(f"there is no system {participants[i, k]} of the class of the prototype")
        self._room_for(p, n + p.count)
        for i in range(n if same else 0):
            same = same and keys[i] == p.key[i]
        self.changed = self.changed or not same
        for i in range(n):
            if old + NEXT < p.count:
                fetch(p.slot[p.number[old + NEXT]] + p.parameters_at, p.n_parameters * sizeof(double))
            while old < p.count and p.key[old] < keys[i]:
                self._drop(p, old)
                old += 1
            p.next_key[i] = keys[i]
            if old < p.count and p.key[old] == keys[i]:
                p.next_number[i], p.next_place[i] = p.number[old], p.place[old]
                slot = p.slot[p.number[old]]
                old += 1
            else:
                slot, p.next_place[i] = self._slot(p, &p.next_number[i]), -1
                self._join(p, slot, &participants[i, 0])
            if memcmp(slot + p.parameters_at, &parameters[i, 0], p.n_parameters * sizeof(double)):
                memcpy(slot + p.parameters_at, &parameters[i, 0], p.n_parameters * sizeof(double))
                r = self._relation(p, p.next_number[i], p.next_place[i])
                r.linearized = r.bounded = 0
        while old < p.count:
            self._drop(p, old)
            old += 1
        p.key, p.next_key = p.next_key, p.key
        p.number, p.next_number = p.next_number, p.number
        p.place, p.next_place = p.next_place, p.place
        p.count = n

    cdef void _drop(self, RelationPool *p, int old) noexcept:
        """The slot of a clone whose key is no longer listed is free."""
        p.unused[p.n_free] = p.number[old]
        p.n_free += 1

    cdef BoundRelation *_relation(self, RelationPool *p, int number, int place) noexcept:
        """That of a clone: in the stage, or in its slot until the first commit after it was listed."""
        return &self.s.relation[p.first + place] if place >= 0 else <BoundRelation *>(p.slot[number] + p.size)

    cdef _reserve(self, int relations, size_t rows):
        """Room for so many relations and rows in the stage, twice as much as there was."""
        cdef Stage *s = self.s
        cdef Arena arena = self.model.arrays.common
        cdef int room
        if relations > self.room:
            self.room = max(relations, 2 * self.room)
            room = self.room + s.n_groups
            arena.begin_line()
            self.relations = <BoundRelation *>arena.take(2 * self.room * sizeof(BoundRelation))
            s.play, s.news = <int *>arena.take(self.room * sizeof(int)), <int *>arena.take(self.room * sizeof(int))
            s.renewed, s.is_renewed = <int *>arena.take(self.room * sizeof(int)), <char *>arena.take(self.room)
            s.node, s.priority = <int *>arena.take(self.room * sizeof(int)), <int *>arena.take(self.room * sizeof(int))
            s.member, s.slot = <int *>arena.take(room * sizeof(int)), <size_t *>arena.take(room * sizeof(size_t))
        if rows > self.room_rows:
            self.room_rows = max(rows, 2 * self.room_rows)
            s.cone = <int *>arena.take(2 * self.room_rows * sizeof(int))
            s.kept_multiplier, s.scratch = arena.doubles(self.room_rows), arena.doubles(self.room_rows)
            s.graph.diagonal = s.diagonal = arena.doubles(2 * self.room_rows)

    def commit(self, const int[::1] order=None):
        """Hand what ``fill`` listed to the stage; whether anything changed.

        ``order`` are the clones, counted through all pools, in the order in which they are eliminated.
        """
        cdef Stage *s = self.s
        cdef RelationPool *p
        cdef BoundRelation *to
        cdef int i, k, n = self.n_pools
        cdef size_t rows = 0
        if not self.changed:
            return False
        for k in range(self.n_pools):
            n += self.pool[k].count
            rows += self.pool[k].count * self.pool[k].m
        if order is not None and order.shape[0] != n - self.n_pools:
            raise ValueError(f"an order of {order.shape[0]} for {n - self.n_pools} clones")
        self._reserve(n, rows)
        to = self.relations + self.room if s.relation == self.relations else self.relations
        memcpy(to, s.relation, self.n_pools * sizeof(BoundRelation))
        n = self.n_pools
        for k in range(self.n_pools):
            p = &self.pool[k]
            for i in range(p.count):
                to[n + i] = self._relation(p, p.number[i], p.place[i])[0]
                p.place[i] = i
            p.first = n
            n += p.count
        s.relation, s.n_relations = to, n
        for i in range(n):
            s.priority[i] = i if order is None or i < self.n_pools else self.n_pools + order[i - self.n_pools]
        self._number_links()
        memset(s.is_renewed, 0, n)
        s.n_play = s.n_news = s.n_renewed = s.assembled = s.laid_out = 0
        s.stale = 1
        self.changed = False
        return True

    cdef void _number_links(self) noexcept:
        """Which relations meet on each group."""
        cdef Stage *s = self.s
        cdef Group *g
        cdef BoundRelation *r
        cdef int i, k, at, total = 0
        memset(self.count, 0, s.n_groups * sizeof(int))
        for i in range(self.n_pools, s.n_relations):
            if i + NEXT < s.n_relations:
                nsd_fetch(s.relation[i + NEXT].attached)
            for k in range(s.relation[i].n_attached):
                self.count[s.relation[i].attached[k].group] += 1
                total += 1
        if total > self.room_links:
            self.room_links = 2 * total
            self.link_relation = <int *>self.model.arrays.common.take(self.room_links * sizeof(int))
            self.link_attached = <int *>self.model.arrays.common.take(self.room_links * sizeof(int))
            self.link_seen = <int *>self.model.arrays.common.take(self.room_links * sizeof(int))
        at = 0
        for i in range(s.n_groups):
            g = &s.group[i]
            g.link_relation, g.link_attached, g.seen = self.link_relation + at, self.link_attached + at, self.link_seen + at
            at += self.count[i]
            g.n_links = g.n_seen = 0
        for i in range(self.n_pools, s.n_relations):
            r = &s.relation[i]
            for k in range(r.n_attached):
                self._link(&s.group[r.attached[k].group], i, k)

    cdef void _link(self, Group *g, int relation, int attached) noexcept:
        g.link_relation[g.n_links], g.link_attached[g.n_links] = relation, attached
        if self.s.relation[relation].attached[attached].shape.seen:
            g.seen[g.n_seen] = g.n_links
            g.n_seen += 1
        g.n_links += 1

    def pile_up(self, double tolerance, double goal, int most, int rows):
        """Solve steps of more than so many ``rows`` as piles, island by island (``_pile.pxi``).

        With a certificate, to ``tolerance`` of the load of an island; with ``tolerance=0`` by sweeps alone, until none changes a row
        by more than ``goal`` [the unit of y], at most ``most``. Raises ``ValueError`` for rows of other kinds.
        """
        if not is_pile(self.s):
            raise ValueError("these rows are no pile")
        if take_pile(self.s, tolerance, goal, most, rows):
            raise MemoryError
        self.s.watched.on = 0  # that looks at A

    @property
    def piled(self):
        """Of the last step: sweeps, factorisations, islands without a certificate, and how far any row is off its law at most."""
        if not self.s.piled or not self.s.n_play:
            return 0, 0, 0, 0.0
        steps = &self.s.pile.steps
        return steps.sweeps, steps.factored, steps.uncertified, steps.left

    # -- what a run looks at --------------------------------------------------------------------

    def rows(self, int number):
        """Multipliers (n, m) of the clones of a pool, and whether each is in play, by their keys."""
        cdef RelationPool *p = &self.pool[number]
        cdef int i, j
        multipliers = np.zeros((p.count, p.m))
        in_play = np.zeros(p.count, dtype=np.intc)
        cdef double[:, ::1] multiplier = multipliers
        cdef int[::1] playing = in_play
        for i in range(p.count):
            for j in range(p.m):
                multiplier[i, j] = (<double *>(p.slot[p.number[i]] + p.multiplier_at))[j]
            playing[i] = (<double *>(p.slot[p.number[i]] + p.mode_at))[0] > 0
        return multipliers, in_play

    def recall(self, int number, const double[:, ::1] multipliers, const int[::1] in_play):
        """Set multipliers and modes of all clones of a pool, as :meth:`rows` gave them."""
        cdef RelationPool *p = &self.pool[number]
        cdef int i, j
        if multipliers.shape[0] != p.count or in_play.shape[0] != p.count:
            raise ValueError("rows for other clones")
        for i in range(p.count):
            for j in range(p.m):
                (<double *>(p.slot[p.number[i]] + p.multiplier_at))[j] = multipliers[i, j]
            (<double *>(p.slot[p.number[i]] + p.mode_at))[0] = in_play[i]

    def relation_of(self, int item):
        """The pool and the place in it of a relation of the stage, None for a prototype."""
        cdef int k
        for k in range(self.n_pools):
            if self.pool[k].first <= item < self.pool[k].first + self.pool[k].count:
                return k, item - self.pool[k].first
        return None

    # -- systems --------------------------------------------------------------------------------

    def set_systems(self, const int[::1] numbers, const double[:, ::1] parameters):
        """Give systems other values of their parameters; what was computed from the old ones is forgotten."""
        cdef int i, j, k
        cdef double *array
        for i in range(numbers.shape[0]):
            k = numbers[i]
            array = self.model.arrays.at("system", k, Role.PARAMETERS, 0)
            for j in range(parameters.shape[1]):
                array[j] = parameters[i, j]
            self.s.system[k].linearized = self.s.system[k].frozen_step = 0

    def take_part(self, const char[::1] present):
        """Which systems take part in steps, one entry for each; others stay as they are, whatever acts on them."""
        cdef Group *g
        cdef int i
        for i in range(self.s.n_systems):
            if self.s.system[i].present == (present[i] != 0):
                continue
            g = &self.s.group[self.s.system[i].group]
            memset(g.rhs, 0, g.n * sizeof(double))
            self.s.system[i].present = present[i] != 0
            self.s.system[i].linearized = self.s.system[i].frozen_step = 0
            g.changed = present[i] != 0  # what does not take part is not factored
            self.s.refactor = 1
