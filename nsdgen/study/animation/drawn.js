// What a scene shows, built with three.js. z points up.

const PALETTE = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#e08214", "#5e8c61", "#8073ac", "#a6761d"];
/** Whether pictures are drawn by the processor: smooth edges would then cost more than all the rest. */
const slowly = (() => {
  const gl = document.createElement("canvas").getContext("webgl2");
  const named = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = named ? gl.getParameter(named.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|basic render|software/i.test(name);
})();
const drawing = document.createElement("canvas");
// Without an alpha of its own: edges of discs write theirs, and the page must not shine through.
const context = drawing.getContext("webgl2", { alpha: false, antialias: !slowly, preserveDrawingBuffer: true, powerPreference: "high-performance" });
const renderer = new THREE.WebGLRenderer({ canvas: drawing, context });
element("view").append(renderer.domElement);
const world = new THREE.Scene();
const sun = new THREE.DirectionalLight("#ffffff", 2.2), sunward = new THREE.Vector3();
const sky = new THREE.HemisphereLight("#ffffff", "#8f98a8", 1.6);
sky.position.set(0, 0, 1);
world.add(sun, sun.target, sky);

const largestOf = (values) => values.reduce((a, v) => (v > a ? v : a), 0); // gaps do not count
const strengthsOf = (arrow) => Array.from(arrow.values[3], (x, i) => Math.hypot(x, arrow.values[4][i], arrow.values[5][i]));

const bounds = new THREE.Box3();
const spot = new THREE.Vector3();
for (const run of scene.runs) for (const item of run.drawn) {
  if (item.kind === "ground" || item.kind === "arrow") continue;
  const points = item.kind === "body" || item.kind === "circle" ? 1 : item.values.length / 3;
  const reach = item.kind === "circle" ? largestOf(item.values[3]) : 0;
  for (let k = 0; k < points; k++) for (let i = 0; i < run.n; i++) {
    spot.set(item.values[3 * k][i], item.values[3 * k + 1][i], item.values[3 * k + 2][i]);
    if (!Number.isFinite(spot.x + spot.y + spot.z)) continue;
    bounds.expandByPoint(spot);
    if (reach) bounds.expandByPoint(spot.clone().addScalar(reach)).expandByPoint(spot.clone().addScalar(-reach));
  }
}
const flat = bounds.isEmpty();
if (flat) bounds.expandByPoint(new THREE.Vector3());
let size = bounds.getSize(new THREE.Vector3()).length();
const largest = Math.max(0, ...scene.runs.flatMap((r) => r.drawn.flatMap((d) => (d.solids || []).map(reachOf))));
size = Math.max(size, 4 * largest) || 1;
const middle = bounds.getCenter(new THREE.Vector3());

// Bodies that stay together while they go far are followed, at the distance at which they fill the picture.
const members = first.drawn.filter((d) => d.kind === "body");
function middleAt(p, to) {
  const places = members.map((d) => [0, 1, 2].map((c) => between(d.values[c], p))).filter((at) => at.every(Number.isFinite));
  if (places.length) to.set(...[0, 1, 2].map((c) => places.reduce((sum, at) => sum + at[c], 0) / places.length));
}
const together = 2 * largest + Math.max(0, ...first.time.map((_, i) => {
  const box = new THREE.Box3();
  for (const d of members) if (Number.isFinite(d.values[0][i])) box.expandByPoint(spot.set(d.values[0][i], d.values[1][i], d.values[2][i]));
  return box.isEmpty() ? 0 : box.getSize(spot).length();
}));
const always = members.every((d) => d.values[0].every(Number.isFinite)); // none comes later, or is taken out
const far = always && members.length > 1 && 4 * together < size;
const seenSize = far ? 2 * together : size; // by which lines and arrows are as thick as one sees them

function reachOf(form) {
  const s = form.sizes;
  const round = { sphere: s[0], cuboid: Math.hypot(...s) / 2, ellipsoid: Math.max(...s) };
  if (form.kind in round) return round[form.kind];
  return form.kind === "mesh" ? Math.max(...s.map(Math.abs)) : Math.max(s[0], s[1] / 2 + (form.kind === "capsule" ? s[0] : 0));
}

/** The shape of a form; spheres are discs (``spheres.js``). */
function geometry(form) {
  const s = form.sizes;
  const along = (g) => g.rotateX(Math.PI / 2); // three.js has its cylinders along y
  switch (form.kind) {
    case "cuboid": return new THREE.BoxGeometry(...s);
    case "ellipsoid": return new THREE.SphereGeometry(1, 32, 20).scale(...s);
    case "cylinder": return along(new THREE.CylinderGeometry(s[0], s[0], s[1], 32));
    case "roundcone": return along(new THREE.ConeGeometry(s[0], s[1], 32));
    case "capsule": return along(new THREE.CapsuleGeometry(s[0], s[1], 10, 24));
    case "mesh": {
      const g = new THREE.BufferGeometry();
      g.setAttribute("position", new THREE.Float32BufferAttribute(s, 3));
      g.setIndex(form.faces.flat());
      g.computeVertexNormals();
      return g;
    }
  }
  throw new Error(`no picture of a ${form.kind}`);
}

/** A form that turns shows that it does: dark patches on round ones. */
function patched(form, g) {
  if (!["ellipsoid", "cylinder"].includes(form.kind)) return g;
  const p = g.getAttribute("position"), colours = new Float32Array(3 * p.count);
  for (let i = 0; i < p.count; i++) {
    const shade = p.getX(i) * p.getY(i) * (form.kind === "cylinder" ? 1 : p.getZ(i)) > 0 ? 1 : 0.72;
    colours.fill(shade, 3 * i, 3 * i + 3);
  }
  g.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  return g;
}

const moving = []; // functions of (run, place) that put what they draw where it is
const pickable = [];
const traces = [];
const hidden = new THREE.Matrix4().makeScale(0, 0, 0);

function colourOf(number, index) {
  return number === 0 ? PALETTE[index % PALETTE.length] : PALETTE[(number * 3 + 4) % PALETTE.length];
}

/** Equal forms that are no spheres. */
function solids(form, colours, opacity) {
  const shape = patched(form, geometry(form));
  const material = new THREE.MeshLambertMaterial({ vertexColors: shape.hasAttribute("color"), transparent: opacity < 1, opacity, side: form.kind === "mesh" ? THREE.DoubleSide : THREE.FrontSide });
  const mesh = new THREE.InstancedMesh(shape, material, colours.length);
  colours.forEach((colour, i) => mesh.setColorAt(i, colour));
  return { mesh, place: (i, m) => mesh.setMatrixAt(i, m), placed: () => { mesh.instanceMatrix.needsUpdate = true; mesh.boundingSphere = null; } };
}

function addBodies(run, number) {
  const groups = new Map(); // equal forms are drawn together
  run.drawn.filter((d) => d.kind === "body").forEach((body, index) => {
    for (const form of body.solids || []) {
      const key = JSON.stringify([form.kind, form.sizes, form.faces]);
      if (!groups.has(key)) groups.set(key, { form, members: [] });
      const turned = new THREE.Quaternion(form.turned[1], form.turned[2], form.turned[3], form.turned[0]);
      groups.get(key).members.push({ body, index, offset: new THREE.Matrix4().compose(new THREE.Vector3(...form.at), turned, new THREE.Vector3(1, 1, 1)) });
    }
  });
  const one = new THREE.Vector3(1, 1, 1), at = new THREE.Vector3(), turn = new THREE.Quaternion(), next = new THREE.Quaternion(), m = new THREE.Matrix4();
  for (const { form, members } of groups.values()) {
    const colours = members.map((member) => new THREE.Color(colourOf(number, member.index))), opacity = number > 0 ? 0.4 : 1;
    const { mesh, place, placed } = form.kind === "sphere" ? balls(form.sizes[0], colours, opacity) : solids(form, colours, opacity);
    mesh.frustumCulled = false;
    mesh.userData = { run, items: members.map((member) => member.body) };
    pickable.push(mesh);
    world.add(mesh);
    moving.push([run, (p) => {
      members.forEach(({ body, offset }, i) => {
        const v = body.values;
        at.set(between(v[0], p), between(v[1], p), between(v[2], p));
        turn.set(v[4][p.at], v[5][p.at], v[6][p.at], v[3][p.at]).normalize();
        next.set(v[4][p.next], v[5][p.next], v[6][p.next], v[3][p.next]).normalize();
        place(i, m.compose(at, turn.slerp(next, p.share), one).multiply(offset), turn);
      });
      placed();
    }]);
  }
  run.drawn.filter((d) => d.kind === "body").slice(0, 50).forEach((body, index) => {
    const g = new THREE.BufferGeometry();
    const points = new Float32Array(3 * run.n);
    let at = Math.max(0, body.values[0].findIndex(Number.isFinite));
    for (let i = 0; i < run.n; i++) {
      if (Number.isFinite(body.values[0][i])) at = i;
      for (let c = 0; c < 3; c++) points[3 * i + c] = body.values[c][at];
    }
    g.setAttribute("position", new THREE.BufferAttribute(points, 3));
    const line = new THREE.Line(g, new THREE.LineBasicMaterial({ color: colourOf(number, index) }));
    line.visible = false;
    line.frustumCulled = false;
    traces.push(line);
    world.add(line);
    moving.push([run, (p) => g.setDrawRange(0, p.at + 1)]);
  });
}

/** Tubes between points, a spring as a coil of segments. */
function addCurve(run, item, number, index) {
  const points = item.values.length / 3;
  const coils = item.kind === "spring" ? 40 : 1;
  const dots = item.kind === "points";
  const count = dots ? points : (points - 1) * coils;
  const thin = { line: 0.006, joint: 0.0035, spring: 0.0025, points: 0.012 }[item.kind] * seenSize;
  const shape = dots ? new THREE.SphereGeometry(thin, 16, 12) : new THREE.CylinderGeometry(thin, thin, 1, 10);
  const colour = item.kind === "joint" || item.kind === "points" ? "#8a94a3" : colourOf(number, index);
  const material = new THREE.MeshLambertMaterial({ color: colour, transparent: number > 0, opacity: number > 0 ? 0.4 : 1 });
  const mesh = new THREE.InstancedMesh(shape, material, count);
  mesh.frustumCulled = false;
  mesh.userData = { run, items: Array(count).fill(item) };
  pickable.push(mesh);
  world.add(mesh);
  const a = new THREE.Vector3(), b = new THREE.Vector3(), side = new THREE.Vector3(), other = new THREE.Vector3();
  const up = new THREE.Vector3(0, 1, 0), q = new THREE.Quaternion(), m = new THREE.Matrix4(), s = new THREE.Vector3();
  const point = (k, p, to) => to.set(between(item.values[3 * k], p), between(item.values[3 * k + 1], p), between(item.values[3 * k + 2], p));
  const put = (i, from, to) => {
    s.subVectors(to, from);
    const length = s.length();
    if (length < 1e-12 * seenSize) return mesh.setMatrixAt(i, hidden);
    q.setFromUnitVectors(up, s.divideScalar(length));
    mesh.setMatrixAt(i, m.compose(from.clone().add(to).multiplyScalar(0.5), q, new THREE.Vector3(1, length, 1)));
  };
  moving.push([run, (p) => {
    if (dots) for (let k = 0; k < points; k++) mesh.setMatrixAt(k, m.makeTranslation(point(k, p, a)));
    else for (let k = 0; k + 1 < points; k++) {
      point(k, p, a); point(k + 1, p, b);
      if (coils === 1) { put(k, a, b); continue; }
      const along = new THREE.Vector3().subVectors(b, a);
      side.crossVectors(along, Math.abs(along.y) < 0.9 * along.length() ? up : new THREE.Vector3(1, 0, 0)).normalize();
      other.crossVectors(along, side).normalize();
      const at = (i) => {
        const share = i / coils, wide = i === 0 || i === coils ? 0 : 0.02 * seenSize, angle = 2 * Math.PI * 8 * share;
        return a.clone().addScaledVector(along, share).addScaledVector(side, wide * Math.cos(angle)).addScaledVector(other, wide * Math.sin(angle));
      };
      for (let i = 0; i < coils; i++) put(k * coils + i, at(i), at(i + 1));
    }
    mesh.instanceMatrix.needsUpdate = true;
    mesh.boundingSphere = null;
  }]);
}

function addCircle(run, item, number, index) {
  const radius = largestOf(item.values[3]) || 1;
  const group = new THREE.Group();
  const material = new THREE.MeshLambertMaterial({ color: colourOf(number, index), transparent: number > 0, opacity: number > 0 ? 0.4 : 1 });
  const ring = new THREE.Mesh(new THREE.TorusGeometry(radius, 0.005 * seenSize, 10, 64), material);
  const spoke = new THREE.Mesh(new THREE.CylinderGeometry(0.003 * seenSize, 0.003 * seenSize, radius, 8).translate(0, radius / 2, 0).rotateZ(-Math.PI / 2), material);
  group.add(ring, spoke);
  for (const part of [ring, spoke]) { part.userData = { run, items: [item] }; pickable.push(part); }
  world.add(group);
  const base = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(1, 0, 0), Math.PI / 2), spin = new THREE.Quaternion();
  moving.push([run, (p) => {
    group.position.set(...[0, 1, 2].map((c) => between(item.values[c], p)));
    group.quaternion.copy(base).multiply(spin.setFromAxisAngle(new THREE.Vector3(0, 0, 1), between(item.values[4], p)));
    const now = between(item.values[3], p);
    group.visible = now > 0;
    group.scale.setScalar(now > 0 ? now / radius : 1);
  }]);
}

let arrowScale = 1;
function addArrows(run) {
  const items = run.drawn.filter((d) => d.kind === "arrow");
  const strongest = largestOf(items.flatMap(strengthsOf));
  if (!strongest) return;
  const shaft = new THREE.CylinderGeometry(0.0045 * seenSize, 0.0045 * seenSize, 1, 10).translate(0, 0.5, 0);
  const tip = new THREE.ConeGeometry(0.014 * seenSize, 0.035 * seenSize, 14).translate(0, 0.0175 * seenSize, 0);
  const material = new THREE.MeshBasicMaterial({ color: "#d73027" });
  const meshes = [shaft, tip].map((g) => new THREE.InstancedMesh(g, material, items.length));
  for (const mesh of meshes) {
    mesh.frustumCulled = false;
    mesh.userData = { run, items };
    pickable.push(mesh);
    world.add(mesh);
  }
  const up = new THREE.Vector3(0, 1, 0), v = new THREE.Vector3(), at = new THREE.Vector3(), q = new THREE.Quaternion(), m = new THREE.Matrix4();
  moving.push([run, (p) => {
    items.forEach((item, i) => {
      const now = p.share > 0 ? p.next : p.at; // what acted up to the next instant
      v.set(item.values[3][now], item.values[4][now], item.values[5][now]);
      const strength = v.length();
      if (!(strength >= 1e-6 * strongest)) { for (const mesh of meshes) mesh.setMatrixAt(i, hidden); return; }
      const length = 0.3 * seenSize * arrowScale * Math.sqrt(strength / strongest);
      at.set(between(item.values[0], p), between(item.values[1], p), between(item.values[2], p));
      q.setFromUnitVectors(up, v.normalize());
      meshes[0].setMatrixAt(i, m.compose(at, q, new THREE.Vector3(1, length, 1)));
      meshes[1].setMatrixAt(i, m.compose(at.addScaledVector(v, length), q, new THREE.Vector3(1, 1, 1)));
    });
    for (const mesh of meshes) { mesh.instanceMatrix.needsUpdate = true; mesh.boundingSphere = null; }
  }]);
}

scene.runs.forEach((run, number) => {
  addBodies(run, number);
  run.drawn.forEach((item, index) => {
    if (["line", "spring", "joint", "points"].includes(item.kind)) addCurve(run, item, number, index);
    if (item.kind === "circle") addCircle(run, item, number, index);
  });
  addArrows(run);
});
addPlanes(first.drawn.filter((d) => d.kind === "ground"));
if (scene.runs.length > 1) for (const [k, run] of scene.runs.entries()) for (const text of ["\u25a0", run.name]) {
  const part = document.createElement("span");
  part.textContent = text;
  if (text !== run.name) part.style.color = colourOf(k, 0);
  element("legend").append(part);
}
