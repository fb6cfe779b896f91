// The viewer: camera, pointer, plots and time.

// Camera ------------------------------------------------------------------------------------------

const planar = first.planar;
const camera = planar ? new THREE.OrthographicCamera() : new THREE.PerspectiveCamera(35, 1, 0.001 * size, 100 * size);
camera.up.set(0, 0, 1);
const eye = { target: middle.clone(), azimuth: -1.1, height: 0.45, distance: 2.1 * size };
const VIEWS = { iso: [-1.1, 0.45], front: [-Math.PI / 2, 0], side: [0, 0], top: [-Math.PI / 2, Math.PI / 2 - 1e-3] };
if (planar) [eye.azimuth, eye.height] = VIEWS.front;

let follows = far;
const away = () => (follows ? 3 * together : 2.1 * size);
eye.distance = away();

function follow(wanted) {
  follows = wanted;
  eye.target.copy(middle);
  eye.distance = away();
  element("follow").setAttribute("aria-pressed", follows);
  look();
}

let sharpness = 1; // share of the screen's pixels in a direction; less while pictures that move come too slowly

function fit() {
  const { clientWidth: w, clientHeight: h } = element("view");
  renderer.setSize(w, h, false);
  renderer.setPixelRatio(sharpness * Math.min(devicePixelRatio, 2));
  look();
}

function look() {
  const { clientWidth: w, clientHeight: h } = element("view");
  const c = Math.cos(eye.height);
  const away = new THREE.Vector3(Math.cos(eye.azimuth) * c, Math.sin(eye.azimuth) * c, Math.sin(eye.height));
  camera.position.copy(eye.target).addScaledVector(away, eye.distance);
  if (planar) {
    const half = eye.distance * 0.3, aspect = w / h;
    Object.assign(camera, { left: -half * Math.max(1, aspect), right: half * Math.max(1, aspect), top: half / Math.min(1, aspect), bottom: -half / Math.min(1, aspect), near: -100 * size, far: 100 * size });
  } else camera.aspect = w / h;
  camera.lookAt(eye.target);
  camera.updateProjectionMatrix();
  sun.position.copy(camera.position).add(new THREE.Vector3(0, 0, size));
  sun.target.position.copy(eye.target);
  sunward.subVectors(sun.position, eye.target).normalize();
  turnPlanes(camera, away);
  stale = true;
}

function seen(name) {
  [eye.azimuth, eye.height] = VIEWS[name];
  eye.target.copy(middle);
  eye.distance = away();
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
const OWN = { z: [[0, 1], [1, 1], [2, 1]], "-z": [[0, 1], [1, -1], [2, -1]], y: [[0, 1], [2, 1], [1, -1]] }; // of what was turned upright
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
    rows.push([(item.unit || "").includes("s") ? "impulse since the last picture" : "force", written(Math.hypot(item.values[3][i], item.values[4][i], item.values[5][i])), item.unit || ""]);
  }
  for (const name of (item.shown || []).slice(0, 16)) if (run.columns[name]) rows.push([name.slice(name.lastIndexOf(".") + 1), written(between(run.columns[name].values, p)), run.columns[name].unit]);
  if (!rows.length && item.kind === "body") OWN[run.up].forEach(([k, sign], c) => rows.push(["xyz"[c], written(sign * between(item.values[k], p)), "m"]));
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
  const below = each * names.length, tall = below + 8;
  sheet.width = width * ratio; sheet.height = tall * ratio;
  sheet.style.height = `${tall}px`;
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
    const rounded = (v) => written(Math.abs(v) < 1e-9 * (high - low) ? 0 : Number(v.toPrecision(3)));
    g.fillText(rounded(high), 54, top + 8);
    if (high > low) g.fillText(rounded(low), 54, bottom);
    g.strokeStyle = line; g.lineWidth = 1; g.strokeRect(58, top, width - 70, bottom - top);
    scene.runs.forEach((run, number) => {
      if (!run.columns[name]) return;
      g.strokeStyle = colourOf(number, number ? 0 : k); g.lineWidth = 1.4;
      g.beginPath();
      const { values } = run.columns[name];
      values.forEach((v, i) => { if (v === v) g[i && values[i - 1] === values[i - 1] ? "lineTo" : "moveTo"](x(run.time[i]), y(v)); });
      g.stroke();
    });
  });
  g.fillStyle = faint;
  g.textAlign = "left"; g.fillText(written(begin), 58, tall - 4);
  g.textAlign = "right"; g.fillText(`${written(end)} s`, width - 12, tall - 4);
  g.strokeStyle = ink; g.lineWidth = 1;
  g.beginPath(); g.moveTo(x(now), 0); g.lineTo(x(now), below); g.stroke();
}
element("plots").addEventListener("pointerdown", (e) => { const w = sheet.clientWidth; goTo(begin + (end - begin) * (e.offsetX - 58) / (w - 70)); });

// Time --------------------------------------------------------------------------------------------

let now = begin, playing = false, stale = true, last = 0, lasted = 0;
const SLOW = 1 / 58; // seconds a picture; a screen shows one in 1/60
const slider = element("time"), speed = element("speed");
for (const value of [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100]) speed.add(new Option(`${value} x`, value));
const fits = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100].reduce((a, b) => (Math.abs(Math.log((end - begin) / b / 8)) < Math.abs(Math.log((end - begin) / a / 8)) ? b : a), 1);
speed.value = end - begin > 2 && end - begin < 60 ? 1 : fits;
slider.min = begin; slider.max = end; slider.value = begin;

const impacts = []; // times at which an impulse is far larger than the usual one of its arrow
for (const item of first.drawn.filter((d) => d.kind === "arrow")) {
  const sizes = strengthsOf(item);
  const usual = sizes.filter((s) => s > 0).sort((a, b) => a - b)[Math.floor(sizes.filter((s) => s > 0).length / 2)] || 0;
  const most = largestOf(sizes);
  sizes.forEach((s, i) => { if (s > 0.1 * most && (s > 4 * usual || sizes[i - 1] === 0)) impacts.push(first.time[i]); });
}
element("slow").parentElement.style.display = impacts.length ? "" : "none";
const near = (t) => impacts.some((i) => Math.abs(i - t) < 0.12 * Number(speed.value));

function goTo(t) { now = Math.max(begin, Math.min(end, t)); stale = true; }
function play(wanted) {
  playing = wanted;
  lasted = 0;
  if (sharpness < 1) { sharpness = 1; fit(); }
  if (playing && now >= end) goTo(begin);
  element("play").textContent = playing ? "pause" : "play";
}
function frame(clock) {
  const passed = Math.min(0.1, (clock - last) / 1000);
  last = clock;
  if (playing) {
    lasted = lasted ? 0.9 * lasted + 0.1 * passed : passed;
    if (lasted > SLOW && sharpness > 0.45) { sharpness *= 0.84; lasted = 0; fit(); }
    goTo(now + passed * speed.value * (element("slow").checked && near(now) ? 0.1 : 1));
    if (now >= end) play(false);
  }
  if (stale) {
    stale = false;
    for (const [run, put] of moving) put(place(run, now));
    if (follows) { middleAt(place(first, now), eye.target); look(); stale = false; }
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
element("follow").addEventListener("click", () => follow(!follows));
element("traces").addEventListener("click", () => { for (const t of traces) t.visible = !t.visible; stale = true; });
for (const button of document.querySelectorAll("[data-camera]")) button.addEventListener("click", () => seen(button.dataset.camera));

function theme(dark) {
  document.documentElement.classList.toggle("dark", dark);
  world.background = new THREE.Color(dark ? "#12161c" : "#f6f7f9");
  for (const { grid, sheet } of planes) { grid.material.color.set(dark ? "#55637a" : "#9aa5b5"); sheet.material.color.set(dark ? "#28313f" : "#c9d1dc"); }
  element("theme").textContent = dark ? "light" : "dark";
  stale = true;
}
element("theme").addEventListener("click", () => theme(!document.documentElement.classList.contains("dark")));

addEventListener("keydown", (e) => {
  if (e.target.tagName === "SELECT" || (e.target.tagName === "INPUT" && e.key !== " ")) return;
  const step = (end - begin) / 200, known = {
    " ": () => play(!playing), ArrowRight: () => goTo(now + step), ArrowLeft: () => goTo(now - step), Home: () => goTo(begin), End: () => goTo(end),
    1: () => seen("iso"), 2: () => seen("front"), 3: () => seen("side"), 4: () => seen("top"), t: () => element("traces").click(), f: () => members.length && follow(!follows), d: () => element("theme").click(),
  };
  if (known[e.key] && !e.ctrlKey && !e.metaKey) { e.preventDefault(); known[e.key](); }
});
addEventListener("resize", fit);

if (!flat && first.plotted.length) document.body.classList.add("beside");
if (flat) { document.body.classList.add("flat"); for (const part of document.querySelectorAll("[data-camera], #traces")) part.remove(); }
if (!strongestArrow()) element("arrows").parentElement.remove();
if (!traces.length && !flat) element("traces").remove();
if (!members.length) element("follow").remove(); else element("follow").setAttribute("aria-pressed", follows);
function strongestArrow() { return first.drawn.some((d) => d.kind === "arrow"); }

const asked = new URLSearchParams(location.hash.slice(1));
theme(asked.has("dark") || (!asked.has("light") && matchMedia("(prefers-color-scheme: dark)").matches));
fit();

if (asked.has("t")) goTo(Number(asked.get("t")));
requestAnimationFrame((clock) => { last = clock; frame(clock); document.body.dataset.ready = Math.round(performance.now()); if (!asked.has("t")) play(!matchMedia("(prefers-reduced-motion: reduce)").matches); });
