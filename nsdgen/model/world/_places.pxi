"""Places at which a shape meets triangles, and those of them that a contact needs."""

cdef enum:
    MOST_PLACES = 1024  # places of a pair until only those are kept that count

cdef double FLAT = 1e-6  # sine of an angle: triangles in a plane; directions that are the same
cdef double SAME = 1e-5  # of the size: places that are one

cdef struct PairPlaces:
    int n
    double gap[1024]
    double normal[3072]
    double point[3072]
    int feature[1024]
    int face[1024]  # of the second shape
    int own[1024]  # of the first, -1 of a convex one
    bint lost  # a triangle is crossed, and nothing was said of it
    int seeking  # from 1 on ways out are looked for that are not the shortest ones of a triangle alone, in the end deep ones


cdef inline void put_place(
    PairPlaces *places, int face, int own, int feature, double gap, const double *normal, const double *point
) noexcept nogil:
    cdef int i, m = places.n
    places.n += 1
    places.gap[m], places.feature[m], places.face[m], places.own[m] = gap, feature, face, own
    for i in range(3):
        places.normal[3 * m + i], places.point[3 * m + i] = normal[i], point[i]


cdef void write_contacts(Found *f, const Shape *a, const Shape *b, PairPlaces *places) noexcept nogil:
    cdef int k
    condense(places, a)
    keep_shortest_ways(places, a, b)
    for k in range(places.n):
        put_once(f, a, b, places, k)


cdef void condense(PairPlaces *places, const Shape *a) noexcept nogil:
    """Each place once; of many with one normal the extreme ones."""
    cdef Corner corners[130]
    cdef bint done[1024]
    cdef bint kept[1024]
    cdef double d[3]
    cdef double u[3]
    cdef double v[3]
    cdef const double *n
    cdef double size = max(fabs(a.size[0]), max(fabs(a.size[1]), fabs(a.size[2])))
    cdef int i, j, k, count
    memset(done, 0, sizeof(done))
    memset(kept, 0, sizeof(kept))
    for i in range(places.n):
        if done[i]:
            continue
        n = places.normal + 3 * i
        count = 0
        k = 0
        for j in range(1, 3):
            if fabs(n[j]) < fabs(n[k]):
                k = j
        for j in range(3):
            d[j] = 1.0 if j == k else 0.0
        cross(n, d, u)
        cross(n, u, v)
        for j in range(i, places.n):
            if done[j] or dot(n, places.normal + 3 * j) < 1.0 - FLAT:
                continue
            done[j] = True
            for k in range(count):
                if (fabs(corners[k].x - dot(u, places.point + 3 * j)) + fabs(corners[k].y - dot(v, places.point + 3 * j))
                        < SAME * size):
                    break
            else:
                if count == 128:
                    count = keep_extreme(corners, count, 1e300, 1.1, 1.0)
                corners[count].x, corners[count].y = dot(u, places.point + 3 * j), dot(v, places.point + 3 * j)
                corners[count].z, corners[count].feature = places.gap[j], j
                count += 1
        count = keep_extreme(corners, count, 1e300, 1.1, 1.0)
        for k in range(count):
            kept[corners[k].feature] = True
    keep_chosen(places, kept)


cdef void keep_deepest(PairPlaces *places) noexcept nogil:
    """Half of the room at most: where hundreds of directions differ, the deepest places."""
    cdef bint kept[1024]
    cdef double low = 1e300, high = -1e300, limit
    cdef int k, i, count
    if places.n <= MOST_PLACES // 2:
        return
    for k in range(places.n):
        low, high = min(low, places.gap[k]), max(high, places.gap[k])
    for i in range(60):
        limit = 0.5 * (low + high)
        count = 0
        for k in range(places.n):
            count += places.gap[k] <= limit
        if count > MOST_PLACES // 2:
            high = limit
        else:
            low = limit
    for k in range(places.n):
        kept[k] = places.gap[k] <= low
    keep_chosen(places, kept)


cdef void keep_chosen(PairPlaces *places, const bint *kept) noexcept nogil:
    cdef int i, k, n = 0
    for k in range(places.n):
        if not kept[k]:
            continue
        places.gap[n], places.feature[n] = places.gap[k], places.feature[k]
        places.face[n], places.own[n] = places.face[k], places.own[k]
        for i in range(3):
            places.normal[3 * n + i], places.point[3 * n + i] = places.normal[3 * k + i], places.point[3 * k + i]
        n += 1
    places.n = n


cdef void put_once(Found *f, const Shape *a, const Shape *b, const PairPlaces *places, int k) noexcept nogil:
    """A place with a number that no other of the pair has."""
    cdef double p[3]
    cdef int i, feature = places.feature[k]
    cdef long j = f.n - 1
    cdef long long whole = (<long long>a.number << SHAPE_BITS | b.number) * FEATURES
    while j >= 0 and j < f.room and f.key[j] // FEATURES == whole // FEATURES:
        if f.key[j] == whole + feature:
            feature, j = (feature + 1) % FEATURES, f.n
        j -= 1
    for i in range(3):  # put takes the place on the surface of a
        p[i] = places.point[3 * k + i] + 0.5 * places.gap[k] * places.normal[3 * k + i]
    put(f, a, b, feature, places.gap[k], places.normal + 3 * k, p)
