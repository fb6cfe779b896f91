// Planes: ground and walls, each a sheet with a grid that ends where others cut it off.

const planes = [];

/** The part of a polygon where normal . x >= offset. */
function cut(polygon, normal, offset) {
  const kept = [];
  polygon.forEach((a, i) => {
    const b = polygon[(i + 1) % polygon.length], over = normal.dot(a) - offset, next = normal.dot(b) - offset;
    if (over >= 0) kept.push(a);
    if (over * next < 0) kept.push(a.clone().lerp(b, over / (over - next)));
  });
  return kept;
}

/** Segments of the lines across . x = a multiple of the spacing, inside of a polygon. */
function ruled(polygon, across, spacing) {
  const found = [], at = polygon.map((p) => across.dot(p));
  for (let k = Math.ceil(Math.min(...at) / spacing - 1e-9); k * spacing <= Math.max(...at) * (1 + 1e-9); k++) {
    const ends = [];
    polygon.forEach((a, i) => {
      const j = (i + 1) % polygon.length, over = at[i] - k * spacing, next = at[j] - k * spacing;
      if (over * next < 0 || over === 0) ends.push(a.clone().lerp(polygon[j], over === 0 ? 0 : over / (over - next)));
    });
    if (ends.length === 2) found.push(...ends);
  }
  return found;
}

function addPlanes(items) {
  const all = items.map((item) => {
    const i = Math.max(0, item.values[3].findIndex(Number.isFinite)); // the first instant at which it is there
    const n = new THREE.Vector3(item.values[0][i], item.values[1][i], item.values[2][i]), length = n.length();
    return { n: n.divideScalar(length), offset: item.values[3][i] / length };
  });
  const extent = 2 ** Math.ceil(Math.log2(1.5 * size)), spacing = extent / 16;
  const inside = bounds.clone().expandByScalar(0.1 * size), corner = new THREE.Vector3();
  const lowest = ({ n }) => n.dot(corner.set(n.x > 0 ? bounds.min.x : bounds.max.x, n.y > 0 ? bounds.min.y : bounds.max.y, n.z > 0 ? bounds.min.z : bounds.max.z));
  for (const [k, { n, offset }] of all.entries()) {
    const u = Math.abs(n.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
    u.addScaledVector(n, -u.dot(n)).normalize();
    const w = new THREE.Vector3().crossVectors(n, u), foot = middle.clone().addScaledVector(n, offset - middle.dot(n));
    let polygon = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([i, j]) => foot.clone().addScaledVector(u, i * extent / 2).addScaledVector(w, j * extent / 2));
    const others = all.filter((other) => other.n.dot(n) < 0.999 && lowest(other) > other.offset - 0.05 * size);
    for (const other of others) polygon = cut(polygon, other.n, other.offset);
    if (others.length) for (const axis of ["x", "y", "z"]) if (Math.abs(n[axis]) < 0.5) {
      const way = new THREE.Vector3();
      way[axis] = 1;
      polygon = cut(cut(polygon, way, inside.min[axis]), way.clone().negate(), -inside.max[axis]);
    }
    if (polygon.length < 3) continue;
    const rim = polygon.flatMap((p, i) => [p, polygon[(i + 1) % polygon.length]]);
    const lines = new THREE.BufferGeometry().setFromPoints([...rim, ...ruled(polygon, u, spacing), ...ruled(polygon, w, spacing)]);
    const grid = new THREE.LineSegments(lines, new THREE.LineBasicMaterial({ transparent: true, opacity: 0.6 }));
    const face = new THREE.BufferGeometry().setFromPoints(polygon);
    face.setIndex(polygon.slice(2).flatMap((_, i) => [0, i + 1, i + 2]));
    const sheet = new THREE.Mesh(face, new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.25, side: THREE.DoubleSide, depthWrite: false }));
    world.add(grid, sheet);
    const shown = { n: n.clone(), offset, grid, sheet }, series = items[k].values;
    planes.push(shown);
    if (series.every((v) => v.every((x) => x === v[0]))) continue;
    moving.push([first, (p) => { // the sheet goes with its plane: turned about the origin, then along the normal
      const length = shown.n.set(...[0, 1, 2].map((c) => between(series[c], p))).length();
      shown.n.divideScalar(length);
      shown.offset = between(series[3], p) / length;
      for (const part of [grid, sheet]) {
        part.quaternion.setFromUnitVectors(n, shown.n);
        part.position.copy(shown.n).multiplyScalar(shown.offset - offset);
      }
    }]);
  }
}

/** Shows the planes that are seen from the side on which bodies move. */
function turnPlanes(camera, away) {
  for (const { n, offset, grid, sheet } of planes) {
    const seen = camera.isOrthographicCamera ? n.dot(away) : (n.dot(camera.position) - offset) / size;
    grid.visible = sheet.visible = seen > -1e-3;
  }
}
