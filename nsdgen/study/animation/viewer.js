// The viewer: reads the scene of this page, builds it with three.js, and plays it. z points up.

const element = (id) => document.getElementById(id);

async function inflated(id) {
  const bytes = Uint8Array.from(atob(element(id).textContent), (c) => c.charCodeAt(0));
  return new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
}

const THREE = await (async () => {
  const code = await new Response(await inflated("three")).blob();
  return import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
})();
const levels = new Uint16Array(await new Response(await inflated("numbers")).arrayBuffer());
const scene = JSON.parse(element("scene").textContent);

// Numbers -----------------------------------------------------------------------------------------

/** The n numbers of a packed series: differences of levels, summed up. */
function series(packed, n) {
  const found = new Float32Array(n).fill(packed.low);
  if (packed.at === undefined) return found;
  const scale = (packed.high - packed.low) / 65535;
  let level = 0;
  for (let i = 0; i < n; i++) {
    level = (level + levels[packed.at + i]) & 65535;
    found[i] = packed.low + scale * level;
  }
  return found;
}

for (const run of scene.runs) {
  for (const item of run.drawn) item.values = item.values.map((v) => series(v, run.n));
  for (const name in run.columns) run.columns[name].values = series(run.columns[name], run.n);
}
const first = scene.runs[0];
const begin = Math.min(...scene.runs.map((r) => r.time[0]));
const end = Math.max(...scene.runs.map((r) => r.time[r.n - 1]));

/** Where a time lies among the instants of a run: the one before, and how far on to the next. */
function place(run, t) {
  let low = 0, high = run.n - 1;
  if (t >= run.time[high]) return { at: high, next: high, share: 0 };
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (run.time[middle] <= t) low = middle; else high = middle;
  }
  const share = (t - run.time[low]) / (run.time[high] - run.time[low]);
  return { at: low, next: high, share: Math.max(0, share) };
}

const between = (values, p) => values[p.at] + p.share * (values[p.next] - values[p.at]);

// What is drawn -----------------------------------------------------------------------------------

const PALETTE = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#e08214", "#5e8c61", "#8073ac", "#a6761d"];
const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
renderer.shadowMap.enabled = false;
element("view").append(renderer.domElement);
const world = new THREE.Scene();
const sun = new THREE.DirectionalLight("#ffffff", 2.2);
const sky = new THREE.HemisphereLight("#ffffff", "#8f98a8", 1.6);
world.add(sun, sun.target, sky);

const bounds = new THREE.Box3();
const spot = new THREE.Vector3();
for (const run of scene.runs) for (const item of run.drawn) {
  if (item.kind === "ground" || item.kind === "arrow") continue;
  const points = item.kind === "body" || item.kind === "circle" ? 1 : item.values.length / 3;
  const reach = item.kind === "circle" ? item.values[3][0] : 0;
  for (let k = 0; k < points; k++) for (let i = 0; i < run.n; i++) {
    spot.set(item.values[3 * k][i], item.values[3 * k + 1][i], item.values[3 * k + 2][i]);
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

function reachOf(form) {
  const s = form.sizes;
  const round = { sphere: s[0], cuboid: Math.hypot(...s) / 2, ellipsoid: Math.max(...s) };
  if (form.kind in round) return round[form.kind];
  return form.kind === "mesh" ? Math.max(...s.map(Math.abs)) : Math.max(s[0], s[1] / 2 + (form.kind === "capsule" ? s[0] : 0));
}

/** The shape of a form; of many equal ones each is small on the screen and needs fewer facets. */
function geometry(form, members) {
  const s = form.sizes, share = members > 200 ? 0.5 : 1;
  const along = (g) => g.rotateX(Math.PI / 2); // three.js has its cylinders along y
  switch (form.kind) {
    case "cuboid": return new THREE.BoxGeometry(...s);
    case "sphere": return new THREE.SphereGeometry(s[0], 24 * share, 16 * share);
    case "ellipsoid": return new THREE.SphereGeometry(1, 32 * share, 20 * share).scale(...s);
    case "cylinder": return along(new THREE.CylinderGeometry(s[0], s[0], s[1], 32 * share));
    case "roundcone": return along(new THREE.ConeGeometry(s[0], s[1], 32));
    case "capsule": return along(new THREE.CapsuleGeometry(s[0], s[1], 10 * share, 24 * share));
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
  if (!["sphere", "ellipsoid", "cylinder"].includes(form.kind)) return g;
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
    const shape = patched(form, geometry(form, members.length));
    const material = new THREE.MeshStandardMaterial({ roughness: 0.6, metalness: 0.05, vertexColors: shape.hasAttribute("color"), transparent: number > 0, opacity: number > 0 ? 0.4 : 1, side: form.kind === "mesh" ? THREE.DoubleSide : THREE.FrontSide });
    const mesh = new THREE.InstancedMesh(shape, material, members.length);
    mesh.frustumCulled = false;
    members.forEach((member, i) => mesh.setColorAt(i, new THREE.Color(colourOf(number, member.index))));
    mesh.userData = { run, items: members.map((member) => member.body) };
    pickable.push(mesh);
    world.add(mesh);
    moving.push([run, (p) => {
      members.forEach(({ body, offset }, i) => {
        const v = body.values;
        at.set(between(v[0], p), between(v[1], p), between(v[2], p));
        turn.set(v[4][p.at], v[5][p.at], v[6][p.at], v[3][p.at]).normalize();
        next.set(v[4][p.next], v[5][p.next], v[6][p.next], v[3][p.next]).normalize();
        mesh.setMatrixAt(i, m.compose(at, turn.slerp(next, p.share), one).multiply(offset));
      });
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    }]);
  }
  run.drawn.filter((d) => d.kind === "body").slice(0, 50).forEach((body, index) => {
    const g = new THREE.BufferGeometry();
    const points = new Float32Array(3 * run.n);
    for (let i = 0; i < run.n; i++) for (let c = 0; c < 3; c++) points[3 * i + c] = body.values[c][i];
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
  const thin = { line: 0.006, joint: 0.0035, spring: 0.0025, points: 0.012 }[item.kind] * size;
  const shape = dots ? new THREE.SphereGeometry(thin, 16, 12) : new THREE.CylinderGeometry(thin, thin, 1, 10);
  const colour = item.kind === "joint" || item.kind === "points" ? "#8a94a3" : colourOf(number, index);
  const material = new THREE.MeshStandardMaterial({ color: colour, roughness: 0.7, transparent: number > 0, opacity: number > 0 ? 0.4 : 1 });
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
    if (length < 1e-12 * size) return mesh.setMatrixAt(i, hidden);
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
        const share = i / coils, wide = i === 0 || i === coils ? 0 : 0.02 * size, angle = 2 * Math.PI * 8 * share;
        return a.clone().addScaledVector(along, share).addScaledVector(side, wide * Math.cos(angle)).addScaledVector(other, wide * Math.sin(angle));
      };
      for (let i = 0; i < coils; i++) put(k * coils + i, at(i), at(i + 1));
    }
    mesh.instanceMatrix.needsUpdate = true;
    mesh.boundingSphere = null;
  }]);
}

function addCircle(run, item, number, index) {
  const radius = item.values[3][0];
  const group = new THREE.Group();
  const material = new THREE.MeshStandardMaterial({ color: colourOf(number, index), roughness: 0.7, transparent: number > 0, opacity: number > 0 ? 0.4 : 1 });
  const ring = new THREE.Mesh(new THREE.TorusGeometry(radius, 0.005 * size, 10, 64), material);
  const spoke = new THREE.Mesh(new THREE.CylinderGeometry(0.003 * size, 0.003 * size, radius, 8).translate(0, radius / 2, 0).rotateZ(-Math.PI / 2), material);
  group.add(ring, spoke);
  for (const part of [ring, spoke]) { part.userData = { run, items: [item] }; pickable.push(part); }
  world.add(group);
  const base = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(1, 0, 0), Math.PI / 2), spin = new THREE.Quaternion();
  moving.push([run, (p) => {
    group.position.set(...[0, 1, 2].map((c) => between(item.values[c], p)));
    group.quaternion.copy(base).multiply(spin.setFromAxisAngle(new THREE.Vector3(0, 0, 1), between(item.values[4], p)));
    const now = between(item.values[3], p) / (radius || 1);
    group.scale.setScalar(now || 1);
  }]);
}

let arrowScale = 1;
function addArrows(run) {
  const items = run.drawn.filter((d) => d.kind === "arrow");
  const strengths = items.flatMap((d) => Array.from(d.values[3], (_, i) => Math.hypot(d.values[3][i], d.values[4][i], d.values[5][i])));
  const strongest = strengths.reduce((a, b) => Math.max(a, b), 0);
  if (!strongest) return;
  const shaft = new THREE.CylinderGeometry(0.0045 * size, 0.0045 * size, 1, 10).translate(0, 0.5, 0);
  const tip = new THREE.ConeGeometry(0.014 * size, 0.035 * size, 14).translate(0, 0.0175 * size, 0);
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
      if (strength < 1e-6 * strongest) { for (const mesh of meshes) mesh.setMatrixAt(i, hidden); return; }
      const length = 0.3 * size * arrowScale * Math.sqrt(strength / strongest);
      at.set(between(item.values[0], p), between(item.values[1], p), between(item.values[2], p));
      q.setFromUnitVectors(up, v.normalize());
      meshes[0].setMatrixAt(i, m.compose(at, q, new THREE.Vector3(1, length, 1)));
      meshes[1].setMatrixAt(i, m.compose(at.addScaledVector(v, length), q, new THREE.Vector3(1, 1, 1)));
    });
    for (const mesh of meshes) { mesh.instanceMatrix.needsUpdate = true; mesh.boundingSphere = null; }
  }]);
}

const grids = [];
function addGround(item) {
  const n = new THREE.Vector3(item.values[0][0], item.values[1][0], item.values[2][0]);
  const length = n.length();
  n.divideScalar(length);
  const extent = 2 ** Math.ceil(Math.log2(1.5 * size));
  const grid = new THREE.GridHelper(extent, 16);
  grid.material.transparent = true;
  grid.material.opacity = 0.6;
  const sheet = new THREE.Mesh(new THREE.PlaneGeometry(extent, extent).rotateX(-Math.PI / 2), new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.25, side: THREE.DoubleSide, depthWrite: false }));
  for (const part of [grid, sheet]) {
    part.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), n);
    part.position.copy(middle).addScaledVector(n, item.values[3][0] / length - middle.dot(n));
    world.add(part);
  }
  grids.push([grid, sheet]);
}

scene.runs.forEach((run, number) => {
  addBodies(run, number);
  run.drawn.forEach((item, index) => {
    if (["line", "spring", "joint", "points"].includes(item.kind)) addCurve(run, item, number, index);
    if (item.kind === "circle") addCircle(run, item, number, index);
    if (item.kind === "ground" && number === 0) addGround(item);
  });
  addArrows(run);
});
if (scene.runs.length > 1) element("legend").innerHTML = scene.runs.map((run, k) => `<span style="color:${colourOf(k, 0)}">&#9632;</span><span>${run.name}</span>`).join("");

// Camera ------------------------------------------------------------------------------------------

const planar = first.planar;
const camera = planar ? new THREE.OrthographicCamera() : new THREE.PerspectiveCamera(35, 1, 0.001 * size, 100 * size);
camera.up.set(0, 0, 1);
const eye = { target: middle.clone(), azimuth: -1.1, height: 0.45, distance: 2.1 * size };
const VIEWS = { iso: [-1.1, 0.45], front: [-Math.PI / 2, 0], side: [0, 0], top: [-Math.PI / 2, Math.PI / 2 - 1e-3] };
if (planar) [eye.azimuth, eye.height] = VIEWS.front;

function look() {
  const { clientWidth: w, clientHeight: h } = element("view");
  renderer.setSize(w, h, false);
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
  const c = Math.cos(eye.height);
  const away = new THREE.Vector3(Math.cos(eye.azimuth) * c, Math.sin(eye.azimuth) * c, Math.sin(eye.height));
  camera.position.copy(eye.target).addScaledVector(away, eye.distance);
  if (planar) {
    const half = eye.distance * 0.3, aspect = w / h;
    Object.assign(camera, { left: -half * Math.max(1, aspect), right: half * Math.max(1, aspect), top: half / Math.min(1, aspect), bottom: -half / Math.min(1, aspect), near: -100 * size, far: 100 * size });
    camera.left = -half * aspect; camera.right = half * aspect; camera.top = half; camera.bottom = -half;
    if (aspect < 1) { camera.left = -half; camera.right = half; camera.top = half / aspect; camera.bottom = -half / aspect; }
  } else camera.aspect = w / h;
  camera.lookAt(eye.target);
  camera.updateProjectionMatrix();
  sun.position.copy(camera.position).add(new THREE.Vector3(0, 0, size));
  sun.target.position.copy(eye.target);
  stale = true;
}

function seen(name) {
  [eye.azimuth, eye.height] = VIEWS[name];
  eye.target.copy(middle);
  eye.distance = 2.1 * size;
  look();
}

let dragged = null;
const canvas = renderer.domElement;
canvas.addEventListener("contextmenu", (e) => e.preventDefault());
canvas.addEventListener("pointerdown", (e) => { dragged = { x: e.clientX, y: e.clientY, pan: e.button === 2 || e.shiftKey || planar }; canvas.setPointerCapture(e.pointerId); });
canvas.addEventListener("pointerup", () => { dragged = null; });
canvas.addEventListener("pointermove", (e) => {
  if (!dragged) return point(e);
  const dx = e.clientX - dragged.x, dy = e.clientY - dragged.y;
  [dragged.x, dragged.y] = [e.clientX, e.clientY];
  if (dragged.pan) {
    const unit = 0.6 * eye.distance / element("view").clientHeight;
    const right = new THREE.Vector3().setFromMatrixColumn(camera.matrix, 0), above = new THREE.Vector3().setFromMatrixColumn(camera.matrix, 1);
    eye.target.addScaledVector(right, -dx * unit).addScaledVector(above, dy * unit);
  } else {
    eye.azimuth -= 0.006 * dx;
    eye.height = Math.max(-1.57, Math.min(1.57, eye.height + 0.006 * dy));
  }
  look();
});
canvas.addEventListener("wheel", (e) => { e.preventDefault(); eye.distance *= Math.exp(0.001 * e.deltaY); look(); }, { passive: false });

// Under the pointer -------------------------------------------------------------------------------

const ray = new THREE.Raycaster(), mouse = new THREE.Vector2(), tip = element("tip");
const written = (x) => (x === 0 ? "0" : Math.abs(x) >= 1e-3 && Math.abs(x) < 1e5 ? String(Number(x.toPrecision(4))) : x.toExponential(2));

function point(e) {
  const box = canvas.getBoundingClientRect();
  mouse.set(((e.clientX - box.left) / box.width) * 2 - 1, 1 - ((e.clientY - box.top) / box.height) * 2);
  ray.setFromCamera(mouse, camera);
  const hit = ray.intersectObjects(pickable, false)[0];
  if (!hit) { tip.style.display = "none"; return; }
  const { run, items } = hit.object.userData, item = items[hit.instanceId ?? 0], p = place(run, now);
  const rows = [];
  if (item.kind === "arrow") {
    const i = p.share > 0 ? p.next : p.at;
    rows.push([item.unit.includes("s") ? "impulse since the last picture" : "force", written(Math.hypot(item.values[3][i], item.values[4][i], item.values[5][i])), item.unit]);
  }
  for (const name of (item.shown || []).slice(0, 16)) if (run.columns[name]) rows.push([name.slice(name.lastIndexOf(".") + 1), written(between(run.columns[name].values, p)), run.columns[name].unit]);
  if (!rows.length && item.kind === "body") ["x", "y", "z"].forEach((c, k) => rows.push([c, written(between(item.values[k], p)), "m"]));
  tip.replaceChildren();
  const head = document.createElement("b");
  head.textContent = item.name + (scene.runs.length > 1 ? ` (${run.name})` : "");
  const table = document.createElement("table");
  for (const cells of rows) { const tr = table.insertRow(); for (const text of cells) tr.insertCell().textContent = text; }
  tip.append(head, table);
  tip.style.display = "block";
  tip.style.left = `${Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.min(e.clientY + 14, innerHeight - tip.offsetHeight - 8)}px`;
}

// Plots -------------------------------------------------------------------------------------------

const sheet = element("plots").querySelector("canvas");
function plot() {
  const names = first.plotted;
  if (!names.length) return;
  element("plots").style.display = "block";
  const style = getComputedStyle(document.documentElement), ink = style.getPropertyValue("--ink"), faint = style.getPropertyValue("--faint"), line = style.getPropertyValue("--line");
  const width = element("plots").clientWidth, each = flat ? Math.max(70, (innerHeight - 150) / names.length) : Math.min(110, 330 / names.length), ratio = devicePixelRatio;
  sheet.width = width * ratio; sheet.height = each * names.length * ratio;
  sheet.style.height = `${each * names.length}px`;
  const g = sheet.getContext("2d");
  g.scale(ratio, ratio);
  g.font = "11px system-ui, sans-serif";
  const x = (t) => 58 + (width - 70) * (t - begin) / (end - begin || 1);
  names.forEach((name, k) => {
    const top = k * each + 16, bottom = (k + 1) * each - 8;
    const all = scene.runs.filter((r) => r.columns[name]).map((r) => r.columns[name]);
    const low = Math.min(...all.map((c) => c.low)), high = Math.max(...all.map((c) => c.high ?? c.low));
    const y = (v) => (high > low ? bottom - (bottom - top) * (v - low) / (high - low) : (top + bottom) / 2);
    g.fillStyle = ink; g.textAlign = "left";
    g.fillText(`${name}${first.columns[name].unit && first.columns[name].unit !== "1" ? ` [${first.columns[name].unit}]` : ""}`, 58, top - 5);
    g.fillStyle = faint; g.textAlign = "right";
    const rounded = (v) => written(Math.abs(v) < 1e-9 * (high - low) ? 0 : v);
    g.fillText(rounded(high), 54, top + 8);
    if (high > low) g.fillText(rounded(low), 54, bottom);
    g.strokeStyle = line; g.lineWidth = 1; g.strokeRect(58, top, width - 70, bottom - top);
    scene.runs.forEach((run, number) => {
      if (!run.columns[name]) return;
      g.strokeStyle = colourOf(number, number ? 0 : k); g.lineWidth = 1.4;
      g.beginPath();
      run.columns[name].values.forEach((v, i) => (i ? g.lineTo(x(run.time[i]), y(v)) : g.moveTo(x(run.time[i]), y(v))));
      g.stroke();
    });
  });
  g.strokeStyle = ink; g.lineWidth = 1;
  g.beginPath(); g.moveTo(x(now), 0); g.lineTo(x(now), each * names.length); g.stroke();
}
element("plots").addEventListener("pointerdown", (e) => { const w = sheet.clientWidth; goTo(begin + (end - begin) * (e.offsetX - 58) / (w - 70)); });

// Time --------------------------------------------------------------------------------------------

let now = begin, playing = false, stale = true, last = 0;
const slider = element("time"), speed = element("speed");
for (const value of [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100]) speed.add(new Option(`${value} x`, value));
const fits = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100].reduce((a, b) => (Math.abs(Math.log((end - begin) / b / 8)) < Math.abs(Math.log((end - begin) / a / 8)) ? b : a), 1);
speed.value = end - begin > 2 && end - begin < 60 ? 1 : fits;
slider.min = begin; slider.max = end; slider.value = begin;

const impacts = []; // times at which an impulse is far larger than the usual one of its arrow
for (const item of first.drawn.filter((d) => d.kind === "arrow")) {
  const sizes = Array.from(item.values[3], (_, i) => Math.hypot(item.values[3][i], item.values[4][i], item.values[5][i]));
  const usual = sizes.filter((s) => s > 0).sort((a, b) => a - b)[Math.floor(sizes.filter((s) => s > 0).length / 2)] || 0;
  const most = Math.max(...sizes);
  sizes.forEach((s, i) => { if (s > 0.1 * most && (s > 4 * usual || sizes[i - 1] === 0)) impacts.push(first.time[i]); });
}
element("slow").parentElement.style.display = impacts.length ? "" : "none";
const near = (t) => impacts.some((i) => Math.abs(i - t) < 0.12 * Number(speed.value));

function goTo(t) { now = Math.max(begin, Math.min(end, t)); stale = true; }
function play(wanted) {
  playing = wanted;
  if (playing && now >= end) goTo(begin);
  element("play").textContent = playing ? "pause" : "play";
}
function frame(clock) {
  const passed = Math.min(0.1, (clock - last) / 1000);
  last = clock;
  if (playing) {
    goTo(now + passed * speed.value * (element("slow").checked && near(now) ? 0.1 : 1));
    if (now >= end) play(false);
  }
  if (stale) {
    stale = false;
    for (const [run, put] of moving) put(place(run, now));
    slider.value = now;
    element("now").textContent = `${(now - 0).toFixed(Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(end - begin || 1)))))} s`;
    if (!flat) renderer.render(world, camera);
    plot();
  }
  requestAnimationFrame(frame);
}

slider.addEventListener("input", () => { play(false); goTo(Number(slider.value)); });
element("play").addEventListener("click", () => play(!playing));
element("arrows").addEventListener("input", (e) => { arrowScale = 10 ** e.target.value; stale = true; });
element("traces").addEventListener("click", () => { for (const t of traces) t.visible = !t.visible; stale = true; });
for (const button of document.querySelectorAll("[data-camera]")) button.addEventListener("click", () => seen(button.dataset.camera));

function theme(dark) {
  document.documentElement.classList.toggle("dark", dark);
  world.background = new THREE.Color(dark ? "#12161c" : "#f6f7f9");
  for (const [grid, below] of grids) { grid.material.color.set(dark ? "#55637a" : "#9aa5b5"); below.material.color.set(dark ? "#28313f" : "#c9d1dc"); }
  element("theme").textContent = dark ? "light" : "dark";
  stale = true;
}
element("theme").addEventListener("click", () => theme(!document.documentElement.classList.contains("dark")));

addEventListener("keydown", (e) => {
  if (e.target.tagName === "SELECT" || (e.target.tagName === "INPUT" && e.key !== " ")) return;
  const step = (end - begin) / 200, known = {
    " ": () => play(!playing), ArrowRight: () => goTo(now + step), ArrowLeft: () => goTo(now - step), Home: () => goTo(begin), End: () => goTo(end),
    1: () => seen("iso"), 2: () => seen("front"), 3: () => seen("side"), 4: () => seen("top"), t: () => element("traces").click(), d: () => element("theme").click(),
  };
  if (known[e.key] && !e.ctrlKey && !e.metaKey) { e.preventDefault(); known[e.key](); }
});
addEventListener("resize", look);

if (!flat && first.plotted.length) document.body.classList.add("beside");
if (flat) { document.body.classList.add("flat"); for (const part of document.querySelectorAll("[data-camera], #traces")) part.remove(); }
if (!strongestArrow()) element("arrows").parentElement.remove();
if (!traces.length && !flat) element("traces").remove();
function strongestArrow() { return first.drawn.some((d) => d.kind === "arrow"); }

const asked = new URLSearchParams(location.hash.slice(1));
theme(asked.has("dark") || (!asked.has("light") && matchMedia("(prefers-color-scheme: dark)").matches));
look();
if (asked.has("t")) goTo(Number(asked.get("t")));
requestAnimationFrame((clock) => { last = clock; frame(clock); document.body.dataset.ready = Math.round(performance.now()); if (!asked.has("t")) play(!matchMedia("(prefers-reduced-motion: reduce)").matches); });
