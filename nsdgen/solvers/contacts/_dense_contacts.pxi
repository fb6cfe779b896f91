"""Dense friction problems from the numbers given to the certified answer without Python in between.

Units; part by part mixed sweeps, for few unknowns Newton's method; certificate, what the answer leaves undetermined. Whatever is not
quickly solved so that the certificate passes with a margin is for others (``mixed/cone_parts.py``).
"""

cdef enum:
    MOST_NEWTON = 350  # unknowns: up to here Newton's method is tried where sweeps do not arrive
    MOST = 3000  # unknowns
    BRIEF = 30  # unknowns: solved before another thread would have been told that it may go on
    HASTY = 30  # unknowns: up to here equations are solved before cases have settled, which takes less time than a sweep
    MOST_FILLED = 350  # unknowns: up to here compressed rows are quicker as an array, however few their entries
    MOST_SWEEPS = 100  # what does not settle by then is for Newton's method
    LOOK_EVERY = 10  # sweeps, each time for

cdef Py_ssize_t[8] _PLACES
for _k, _slot in enumerate(vars(Solution)[_name] for _name in Solution.__slots__):
    _PLACES[_k] = (<PyMemberDescrObject*> <PyObject*> _slot).d_member.offset
cdef double NO_SLIP = _NO_SLIP
cdef double AIM = 0.1  # of the goal: what the certificate must show
cdef double FINER = 0.1  # of the aim, where the certificate asks for more
cdef double FINEST_AIM = 1e-3  # of the aim: more is not tried
cdef double PROGRESS = 0.6  # what a change must shrink to between two looks
cdef double STEP_AIM = 1e-2  # of the goal: what the solver of a step is asked for, whose measure is another one
cdef double FINEST_STEP = 1e-12  # some thousand roundings beside the load: less is not reached reliably


cdef struct DenseAnswer:
    double* r  # n
    double* u  # n
    double residual
    double of_load
    int sweeps
    int steps
    int undetermined
    bint guessed  # r is a guess, which may do
    double seconds


cdef bint _passes(const Dense* p, double goal, DenseAnswer* a) noexcept nogil:
    """Whether the certificate shows r with a margin; u and the residual are then its."""
    a.residual = dense_residual(p, a.r, a.u, &a.of_load)
    return a.residual <= AIM * goal


cdef bint _block(const Dense* p, int i, int j, double* target) noexcept nogil:
    """How contact j acts on contact i, in their units, into ``target`` (dim, dim); whether it does."""
    cdef const double* row = p.W + <size_t> i * p.dim * p.n + j * p.dim
    cdef double unit = p.unit[i] * p.unit[j]
    cdef int k, l
    cdef bint acts = False
    for k in range(p.dim):
        for l in range(p.dim):
            target[l] = row[l] * unit
            acts = acts or row[l] != 0.0
        target += p.dim
        row += p.n
    return acts


cdef bint _over_graph(const Dense* p, double goal, DenseAnswer* a) noexcept nogil:
    """The solver of a step from r, in the units of contacts; whether the certificate passes."""
    cdef int i, j, k, l, at = 0, d = p.dim, n = p.n, count = p.count
    cdef size_t size = <size_t> d * d
    cdef double other[MAX_DIM * MAX_DIM]
    cdef OneStep w
    one_step_init(&w)
    if one_step_reserve(&w, count, n, count * count, <size_t> n * n):
        one_step_free(&w)
        return False
    w.n, w.rows, w.tolerance, w.lone = count, n, HUGE_VAL, True
    for i in range(count):
        w.row[i], w.start[i], w.order[i] = i * d, at, i
        w.tolerance = min(w.tolerance, max(STEP_AIM * goal * p.aim[i], FINEST_STEP))
        for l in range(count):  # the diagonal block first
            j = i if l == 0 else l - 1 if l <= i else l
            w.column[at], w.place[at] = j, at * size
            if _block(p, i, j, w.value + w.place[at]) or l == 0 or _block(p, j, i, other):
                at += 1
        for k in range(d):
            w.cone[i * d + k] = FOLLOWS
            w.b[i * d + k] = p.q[i * d + k] * p.unit[i] * (p.unit[i] / p.scale[i])
            w.z[i * d + k] = a.r[i * d + k] / p.scale[i]
        w.cone[i * d] = COULOMB_2D if d == 2 else COULOMB_3D if d == 3 else ROLLING
        for k in range(p.disks):
            w.bound[2 * i * d + k] = p.mu[i * p.disks + k]
    w.row[count], w.start[count] = n, at
    one_step_solve(&w)
    a.steps += w.sweeps + w.iterations
    for i in range(n):
        a.r[i] = w.z[i] * p.scale[i // d]
    one_step_free(&w)
    return _passes(p, goal, a)


cdef bint _by_sweeps(const Dense* p, double goal, DenseAnswer* a, double* memory) noexcept nogil:
    """Sweeps until the certificate passes; where it does not r is the best of what they led to."""
    cdef Sweeps s
    cdef int k, again = 1, pressed = 0  # contacts that close before any reaction
    cdef bint few = p.dim != 5 and p.count <= MOST_SETTLED, rough
    cdef double aim = AIM * goal, change, before = HUGE_VAL
    cdef double* swept = memory + sweeps_doubles(p.n)
    cdef signed char cases[MOST_SETTLED]
    memset(cases, 0, MOST_SETTLED)
    for k in range(p.count):
        pressed += p.q[k * p.dim] < 0.0
    rough = p.dim == 3 and p.n <= HASTY and pressed > 1 and not a.guessed  # equations follow at once
    sweeps_begin(&s, p, memory)
    for k in range(1, MOST_SWEEPS + 1):
        change = sweep(&s, a.r, rough)
        a.sweeps += 1
        if change <= aim or (k == 1 and pressed == 1):  # one contact is solved, not approached
            if _passes(p, goal, a):
                return True
            aim = FINER * min(aim, change)
            if aim < FINEST_AIM * AIM * goal:
                break
        if few and not settle(p, a.r, cases) and (k > 2 or p.n > HASTY):
            again = k + 1
        elif few and k >= again:
            again = 2 * k  # with the same cases not before sweeps have come far nearer
            memcpy(swept, a.r, p.n * sizeof(double))
            if solve_settled(p, cases, a.r, swept + p.n) and _passes(p, goal, a):
                return True
            memcpy(a.r, swept, p.n * sizeof(double))
        if k % LOOK_EVERY == 0:
            if not s.least <= PROGRESS * before:
                break
            before = s.least
        if k < MOST_SWEEPS and not rough:
            mix(&s, a.r)
        rough = False
    memcpy(a.r, s.best, p.n * sizeof(double))
    return False


cdef size_t _work_doubles(int n) noexcept nogil:
    return sweeps_doubles(n) + n + settled_doubles(n)


cdef bint _part(const Dense* p, double goal, DenseAnswer* a, double* memory) noexcept nogil:
    """Whether one part is solved so that its certificate passes; ``memory`` has ``_work_doubles``."""
    return (a.guessed and _passes(p, goal, a)) or _by_sweeps(p, goal, a, memory) or (
        p.n <= MOST_NEWTON and _over_graph(p, goal, a))


cdef int _left_open(const Dense* p, const DenseAnswer* a) noexcept nogil:
    """How many reactions the answer leaves undetermined."""
    cdef Answer x
    x.n, x.count, x.dim, x.disks, x.W, x.mu, x.r, x.u = p.n, p.count, p.dim, p.disks, p.W, p.mu, a.r, a.u
    x.unit, x.size, x.load = p.unit, p.size, p.load
    return undetermined(&x)


cdef bint _by_parts(const Dense* p, double goal, DenseAnswer* a) noexcept nogil:
    """Each part by itself: it is the same problem whatever stands beside it. What is not solved keeps its guess."""
    cdef Dense part = p[0]
    cdef DenseAnswer own
    cdef int k, open = 0, first = 0, count = p.most, n = count * p.dim
    cdef size_t doubles = dense_doubles(count, p.dim) + <size_t> n * n + 3 * n + count * p.disks + _work_doubles(n)
    cdef double* memory = <double*> malloc(doubles * sizeof(double) + count * sizeof(int))
    cdef double* q = memory + dense_doubles(count, p.dim)
    cdef double* mu = q + n
    cdef double* matrix = mu + count * p.disks
    cdef int* chosen = <int*> (memory + doubles)
    cdef bint good = memory != NULL, solved
    part.parts = 1
    part.q, part.mu, part.W = q, mu, matrix
    part.unit = memory
    part.size, part.load, part.scale = memory + count, memory + 2 * count, memory + 3 * count
    part.aim, part.own = memory + 4 * count, memory + 5 * count
    own.sweeps = own.steps = 0
    own.guessed = a.guessed
    own.r = matrix + <size_t> n * n
    own.u = own.r + n
    a.residual = a.of_load = 0.0
    for k in range(p.parts if good else 0):
        first = _gather(p, k, first, a.r, &part, q, mu, matrix, own.r, chosen)
        solved = _part(&part, goal, &own, own.u + n)
        if solved:
            _scatter(&part, chosen, own.r, a.r)
            _scatter(&part, chosen, own.u, a.u)
            a.residual, a.of_load = max(a.residual, own.residual), max(a.of_load, own.of_load)
            open = _left_open(&part, &own)
            a.undetermined += open
        good = good and solved and open >= 0
    a.sweeps, a.steps = own.sweeps, own.steps
    free(memory)
    return good


cdef int _gather(
    const Dense* p, int k, int first, const double* r, Dense* part, double* q, double* mu, double* matrix, double* own,
    int* chosen,
) noexcept nogil:
    """Part k of the problem, of contacts from ``first`` on, its reactions into ``own``, and its contacts; the first of them."""
    cdef int i, j, l, c, d = p.dim
    cdef const double* row
    part.count = p.label[p.count + k]
    for c in range(part.count):
        chosen[c] = next_of_part(p, k, first)
        first = chosen[c] + 1
    part.n = part.count * d
    for c in range(part.count):
        i = chosen[c]
        part.unit[c], part.size[c], part.load[c] = p.unit[i], p.size[i], p.load[i]
        part.scale[c], part.aim[c] = p.scale[i], p.aim[i]
        memcpy(part.own + c * d * d, p.own + i * d * d, d * d * sizeof(double))
        memcpy(q + c * d, p.q + i * d, d * sizeof(double))
        memcpy(own + c * d, r + i * d, d * sizeof(double))
        memcpy(mu + c * p.disks, p.mu + i * p.disks, p.disks * sizeof(double))
        for l in range(d):
            row = p.W + <size_t> (i * d + l) * p.n
            for j in range(part.count):
                memcpy(matrix + <size_t> (c * d + l) * part.n + j * d, row + chosen[j] * d, d * sizeof(double))
    return chosen[0]


cdef void _scatter(const Dense* part, const int* chosen, const double* own, double* r) noexcept nogil:
    cdef int c, d = part.dim
    for c in range(part.count):
        memcpy(r + chosen[c] * d, own + c * d, d * sizeof(double))


cdef bint _solve(Dense* p, double goal, DenseAnswer* a) noexcept nogil:
    """Whether the problem is of those solved here, and is."""
    cdef size_t doubles = dense_doubles(p.count, p.dim) + _work_doubles(p.n)
    cdef double room[STACKED]
    cdef double* memory = room
    cdef double* rest
    cdef bint good
    if doubles + p.count > STACKED:
        memory = <double*> malloc(doubles * sizeof(double) + 2 * p.count * sizeof(int))
    if memory == NULL:
        return False
    rest = memory + dense_doubles(p.count, p.dim)
    good = dense_units(p, memory, <int*> (memory + doubles), rest)
    if good:
        a.seconds = now()
        if p.parts > 1:
            good = _by_parts(p, goal, a)
        else:
            good = _part(p, goal, a, rest)
            a.undetermined = _left_open(p, a) if good else 0
            good = good and a.undetermined >= 0
        good = good and (p.bodies == NULL or _moves(p, goal, a))
        a.seconds = now() - a.seconds
    if memory != room:
        free(memory)
    return good


# -------------------------------------------------------------------------- from Python


cdef const double* _matrix(object W, Py_ssize_t n, double** filled) except? NULL:
    """The entries of a plain array (n, n), or of few compressed rows, then in memory that ``filled`` is; NULL: neither."""
    cdef Py_ssize_t[2] shape
    cdef const double* x = plain_doubles(W, 2, shape)
    if x != NULL:
        return x if shape[0] == n and shape[1] == n else NULL
    if n > MOST_FILLED or getattr(W, "format", None) != "csr" or W.shape != (n, n):
        return NULL
    filled[0] = <double*> malloc(<size_t> n * n * sizeof(double))
    if filled[0] == NULL or not fill_rows(W.data, W.indices, W.indptr, <int> n, filled[0]):
        return NULL
    return filled[0]


cpdef object solve_dense(object W, object q, object mu, object dim, object goal, object initial=None, object rolling=None):
    """The certified ``Solution`` of a friction problem; False where it is for others; what was found where it was tried in vain.

    That is None, or a guess (n,) with the reactions of some parts where others were not solved.

    ``W`` (n, n), also in compressed rows, ``q`` (n,), ``mu`` (contacts,), (contacts, 2) for ``dim`` 5 unless ``rolling`` (contacts,)
    has the second ones (3 then means 5), or one number for all, and ``initial`` (n,), a guess or None, may be anything: only plain
    arrays of finite doubles that fit together are looked at, and only where ``dim`` and ``goal`` are an int and a float.
    """
    return _from_python(W, q, mu, dim, goal, initial, rolling, NULL)


cdef object _from_python(
    object W, object q, object mu, object dim, object goal, object initial, object rolling, const Bodies* bodies
):
    """``solve_dense`` of W and q, or of those that ``bodies`` were condensed to."""
    cdef Py_ssize_t n, count, i
    cdef int disks
    cdef Py_ssize_t[2] shape
    cdef const double* given
    cdef const double* turning = NULL
    cdef const double* guess = NULL
    cdef double one
    cdef double* coefficients = NULL
    cdef double* filled = NULL
    cdef bint single
    cdef Dense p
    if type(dim) is not int or type(goal) is not float or not 0.0 < <double> goal < HUGE_VAL or not (
            dim == 3 or dim == 5 or (dim == 2 and rolling is None)):
        return False
    p.dim, p.bodies = (dim if rolling is None else 5), bodies
    disks = 2 if p.dim == 5 else 1
    single = type(mu) is float and disks == 1
    p.q = plain_doubles(q, 1, shape)
    n = shape[0]
    count = n // p.dim
    if p.q == NULL or n == 0 or n > MOST or count * p.dim != n:
        return False
    if initial is not None:
        guess = plain_doubles(initial, 1, shape)
        if guess == NULL or shape[0] != n:
            return False
    if single:
        one = mu
        given = NULL
    else:
        shape[1] = disks if rolling is not None else 1
        given = plain_doubles(mu, 1, shape)
        if given == NULL and rolling is None:
            given = plain_doubles(mu, 2, shape)
        if given == NULL or shape[0] != count or shape[1] != disks:
            return False
        if rolling is not None:
            turning = plain_doubles(rolling, 1, shape)
            if turning == NULL or shape[0] != count:
                return False
    p.mu = given
    try:
        if single or turning != NULL:
            p.mu = coefficients = <double*> malloc(count * disks * sizeof(double))
        p.W = _matrix(W, n, &filled)
        if p.W == NULL or p.mu == NULL:
            return False
        for i in range(count * disks):
            if coefficients != NULL:
                coefficients[i] = one if single else turning[i // 2] if i % 2 else given[i // 2]
            if not 0.0 <= p.mu[i] < NO_SLIP:
                return False
        for i in range(n if guess != NULL else 0):
            if not isfinite(guess[i]):
                return False
        p.n, p.count, p.disks = <int> n, <int> count, disks
        return _answered(&p, goal, guess)
    finally:
        free(coefficients)
        free(filled)


def dense_first(public, general):
    """``public``, which is ``solve_friction``, compiled: ``solve_dense``, then ``general`` with what that found and the arguments.

    The interpreter's own call, with four defaults looked up by name, takes a sixth of the time of one contact.
    """
    @cython.binding(True)
    def solve_friction(W, q, mu, dim=3, *, mu_rolling=None, tol=1e-8, solver=None, initial=None):
        found = False if solver is not None else solve_dense(W, q, mu, dim, tol, initial, mu_rolling)
        return found if type(found) is Solution else general(found, W, q, mu, dim, mu_rolling, tol, solver, initial)

    return update_wrapper(solve_friction, public)


cdef object _answered(Dense* p, double goal, const double* guess):
    """What ``solve_dense`` returns of a problem that is tried."""
    cdef DenseAnswer a
    cdef object r = new_doubles(p.n, &a.r), u = new_doubles(p.n, &a.u)
    cdef bint good
    a.sweeps = a.steps = a.undetermined = 0
    a.guessed = guess != NULL
    p.parts = 0
    if guess != NULL:
        memcpy(a.r, guess, p.n * sizeof(double))
    else:
        memset(a.r, 0, p.n * sizeof(double))
    if p.n <= BRIEF:
        good = _solve(p, goal, &a)
    else:
        with nogil:
            good = _solve(p, goal, &a)
    if not good:
        return r if p.parts > 1 else None
    answer = PyType_GenericAlloc(Solution, 0)  # its fields at once: its own ``__init__`` takes as long as one contact
    _set(answer, 0, r)
    _set(answer, 1, u)
    _set(answer, 2, a.residual)
    _set(answer, 3, "newton" if a.steps else "gauss-seidel")
    _set(answer, 4, a.sweeps + a.steps)
    _set(answer, 5, a.undetermined)
    _set(answer, 6, a.seconds)
    _set(answer, 7, a.of_load)
    return answer


cdef inline void _set(object answer, int k, object value) noexcept:
    """Give a new answer its field k, once: where its frozen class keeps it, for which no name is looked up."""
    Py_INCREF(value)
    (<PyObject**> (<char*> <PyObject*> answer + _PLACES[k]))[0] = <PyObject*> value
