// A figure: reads the scene of this page, draws its panels, zooms them and says what lies under the pointer.

const scene = JSON.parse(document.getElementById("scene").textContent);
const bytes = Uint8Array.from(atob(document.getElementById("numbers").textContent), (c) => c.charCodeAt(0));
const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
const packed = new Float32Array(await new Response(stream).arrayBuffer());
const numbers = (s) => Float64Array.from(packed.subarray(s.at, s.at + s.n), (v) => s.low + s.span * v);
const rises = (x) => { for (let i = 1; i < x.length; i++) if (!(x[i] >= x[i - 1])) return false; return true; };
const tip = document.getElementById("tip");
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
/** A colour as it is on white, nearer to white on dark ground; black turns into the colour of text. */
function seenOn(hex) {
  if (!document.documentElement.classList.contains("dark")) return hex;
  const parts = [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
  if (Math.max(...parts) < 60) return colour("--ink");
  return `rgb(${parts.map((p) => Math.round(0.6 * p + 0.4 * 255)).join(" ")})`;
}
const LEFT = 68, RIGHT = 12, TOP = 6;

function build(panel, last) {
  panel.section = document.createElement("section");
  panel.names = document.createElement("div");
  panel.names.className = "names";
  panel.canvas = document.createElement("canvas");
  panel.section.append(panel.names, panel.canvas);
  document.querySelector("main").append(panel.section);
  panel.bottom = panel.x.label || last ? 38 : 20;
  panel.all = [panel.x.ends, panel.y.ends];
  panel.view = panel.all.map((ends) => [...ends]);
  for (const curve of panel.curves) {
    curve.x = numbers(curve.x); curve.y = numbers(curve.y); curve.sorted = rises(curve.x); curve.shown = true;
    if (!curve.name) continue;
    const button = document.createElement("button"), line = document.createElement("i");
    line.style.borderColor = curve.colour;
    if (curve.dashes && curve.dashes.length) line.style.borderTopStyle = "dashed";
    button.append(line, curve.name);
    button.onclick = () => { curve.shown = !curve.shown; button.className = curve.shown ? "" : "off"; draw(panel); };
    panel.names.append(button);
  }
  if (panel.names.children.length < 2) panel.names.replaceChildren();
  listen(panel);
}

// Places on the canvas ------------------------------------------------------------------------------

const log = (axis) => (axis.log ? Math.log10 : (v) => v);
const box = (panel) => [[LEFT, panel.canvas.clientWidth - RIGHT], [panel.canvas.clientHeight - panel.bottom, TOP]];
function to(panel, k, v) {
  const f = log(k ? panel.y : panel.x), [a, b] = panel.view[k].map(f), [p, q] = box(panel)[k];
  return p + (q - p) * (f(v) - a) / (b - a);
}
function from(panel, k, place) {
  const axis = k ? panel.y : panel.x, [a, b] = panel.view[k].map(log(axis)), [p, q] = box(panel)[k];
  const v = a + (b - a) * (place - p) / (q - p);
  return axis.log ? 10 ** v : v;
}

function ticks(low, high, wanted, isLog) {
  const found = [];
  if (isLog && Math.log10(high / low) > 1) {
    for (let p = Math.ceil(Math.log10(low)); p <= Math.log10(high); p++) found.push(10 ** p);
    if (found.length > 1) return found;
  }
  const rough = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 2.5, 5, 10].find((s) => s * power >= rough);
  for (let i = Math.ceil(low / step); i * step <= high * (1 + 1e-12) + 1e-300; i++) found.push(i * step);
  return found;
}
const written = (v, span) => {
  if (Math.abs(v) < 1e-9 * span) return "0";
  const size = Math.max(Math.abs(v), span);
  if (size >= 1e6 || size < 1e-4) return v.toExponential(Math.max(0, Math.min(6, Math.ceil(Math.log10(Math.abs(v) / span)) + 2))).replace("e+", "e");
  return String(Number(v.toFixed(Math.max(0, Math.min(12, 3 - Math.floor(Math.log10(span)))))));
};

// Drawing -------------------------------------------------------------------------------------------

function draw(panel) {
  const { canvas } = panel, ratio = devicePixelRatio, width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = width * ratio; canvas.height = height * ratio;
  const g = canvas.getContext("2d"), [[left, right], [bottom, top]] = box(panel);
  g.scale(ratio, ratio);
  g.font = "12px system-ui, sans-serif";
  [0, 1].forEach((k) => {
    const axis = k ? panel.y : panel.x, factor = panel.factors[k], [low, high] = [...panel.view[k]].sort((a, b) => a - b), span = (high - low) / factor;
    g.fillStyle = colour("--ink"); g.strokeStyle = colour("--line"); g.lineWidth = 1;
    for (const v of ticks(low / factor, high / factor, k ? Math.max(2, (bottom - top) / 45) : width / 110, axis.log)) {
      const at = to(panel, k, v * factor);
      g.beginPath();
      if (k) { g.moveTo(left, at); g.lineTo(right, at); } else { g.moveTo(at, top); g.lineTo(at, bottom); }
      g.stroke();
      g.textAlign = k ? "right" : "center"; g.textBaseline = k ? "middle" : "top";
      g.fillText(axis.log ? written(v, v) : written(v, span), k ? left - 6 : at, k ? at : bottom + 5);
    }
  });
  g.textAlign = "center"; g.textBaseline = "bottom";
  if (panel.x.label) g.fillText(panel.x.label, (left + right) / 2, height - 2);
  g.save(); g.translate(13, (top + bottom) / 2); g.rotate(-Math.PI / 2);
  panel.y.label.split("\n").forEach((line, i) => g.fillText(line, 0, 14 * i)); g.restore();
  g.strokeStyle = colour("--faint"); g.beginPath(); g.moveTo(left, top); g.lineTo(left, bottom); g.lineTo(right, bottom); g.stroke();
  g.save(); g.beginPath(); g.rect(left, top, right - left, bottom - top); g.clip();
  for (const { colour, ends } of panel.levels) {
    const [low, high] = ends.map((v) => to(panel, 1, v));
    g.globalAlpha = low === high ? 0.5 : 0.2; g.fillStyle = seenOn(colour);
    g.fillRect(left, high, right - left, Math.max(1, low - high));
  }
  g.globalAlpha = 1;
  for (const curve of panel.curves) if (curve.shown) drawCurve(panel, curve, g, left, right);
  g.fillStyle = colour("--ink"); g.textAlign = "left"; g.textBaseline = "bottom";
  for (const [x, y, text] of panel.notes) g.fillText(text, to(panel, 0, x) + 5, to(panel, 1, y) - 4);
  g.restore();
  if (panel.drag && !panel.drag.moving) {
    const { x, y, now } = panel.drag;
    g.fillStyle = "#6699cc44"; g.fillRect(x, y, now[0] - x, now[1] - y);
  }
  canvas.dataset.drawn = panel.curves.filter((c) => c.shown).length;
}

/** The part of a curve in view; where many points fall on one column of pixels, its first, least, greatest and last. */
function* seen(panel, curve, left, right) {
  const { x, y } = curve;
  let first = 0, last = x.length - 1;
  if (curve.sorted) { first = Math.max(0, nearest(x, from(panel, 0, left)) - 1); last = Math.min(last, nearest(x, from(panel, 0, right)) + 1); }
  const thin = curve.sorted && !curve.steps && last - first > 4 * (right - left);
  let column = NaN, kept = [];
  for (let i = first; i <= last; i++) {
    const at = Math.round(to(panel, 0, x[i]));
    if (!thin || at !== column) { for (const j of new Set(kept.sort((a, b) => a - b))) yield j; kept = [i, i, i, i]; column = at; continue; }
    if (y[i] < y[kept[1]]) kept[1] = i;
    if (y[i] > y[kept[2]]) kept[2] = i;
    kept[3] = i;
  }
  for (const j of new Set(kept.sort((a, b) => a - b))) yield j;
}

function drawCurve(panel, curve, g, left, right) {
  g.strokeStyle = g.fillStyle = seenOn(curve.colour); g.lineWidth = curve.width * 1.2;
  if (curve.stem !== undefined) {
    const zero = to(panel, 1, curve.stem);
    g.beginPath();
    curve.x.forEach((v, i) => { const at = to(panel, 0, v); g.moveTo(at, zero); g.lineTo(at, to(panel, 1, curve.y[i])); });
    g.stroke();
    return;
  }
  if (curve.width) {
    g.setLineDash((curve.dashes || []).map((d) => d * g.lineWidth)); g.beginPath();
    let open = false, before = 0;
    for (const i of seen(panel, curve, left, right)) {
      const px = to(panel, 0, curve.x[i]), py = to(panel, 1, curve.y[i]);
      if (!Number.isFinite(px + py)) { open = false; continue; }
      if (!open) g.moveTo(px, py); else { if (curve.steps) g.lineTo(before, py); g.lineTo(px, py); }
      open = true; before = px;
    }
    g.stroke(); g.setLineDash([]);
  }
  if (curve.dot) for (let i = 0; i < curve.x.length; i++) {
    g.beginPath(); g.arc(to(panel, 0, curve.x[i]), to(panel, 1, curve.y[i]), curve.dot, 0, 7); g.fill();
  }
}

// Under the pointer ---------------------------------------------------------------------------------

function nearest(x, v) {
  let low = 0, high = x.length - 1;
  while (high - low > 1) { const middle = (low + high) >> 1; if (x[middle] <= v) low = middle; else high = middle; }
  return v - x[low] <= x[high] - v ? low : high;
}

function under(panel, px, py) {
  const rows = [];
  let head = "";
  for (const curve of panel.curves.filter((c) => c.shown && (c.name || panel.curves.length === 1))) {
    let found = -1;
    if (curve.sorted && curve.stem === undefined) found = nearest(curve.x, from(panel, 0, px));
    else {
      let least = 30 ** 2;
      for (let i = 0; i < curve.x.length; i++) {
        const d = (to(panel, 0, curve.x[i]) - px) ** 2 + (curve.stem === undefined ? (to(panel, 1, curve.y[i]) - py) ** 2 : 0);
        if (d < least) { least = d; found = i; }
      }
    }
    if (found < 0) continue;
    const [x, y] = [curve.x[found] / panel.factors[0], curve.y[found] / panel.factors[1]];
    if (curve.sorted) head = head || `${panel.x.label || "x"} = ${Number(x.toPrecision(7))}`;
    rows.push([curve, curve.sorted ? Number(y.toPrecision(6)) : `${Number(x.toPrecision(6))}, ${Number(y.toPrecision(6))}`]);
  }
  return { head, rows };
}

function show(panel, event) {
  const { head, rows } = under(panel, event.offsetX, event.offsetY);
  tip.style.display = rows.length ? "block" : "none";
  const table = document.createElement("table");
  for (const [curve, text] of rows) {
    const row = table.insertRow(), name = row.insertCell();
    name.textContent = curve.name || panel.y.label; name.style.color = seenOn(curve.colour);
    row.insertCell().textContent = text;
  }
  tip.replaceChildren(head, table);
  tip.style.left = `${Math.min(event.pageX + 14, innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.min(event.pageY + 14, innerHeight - tip.offsetHeight - 8)}px`;
}

function zoomed(panel, k, a, b) {
  if (!(Math.abs(b - a) > 1e-6 * Math.abs(panel.all[k][1] - panel.all[k][0]))) return;
  const ends = panel.all[k][0] < panel.all[k][1] ? [Math.min(a, b), Math.max(a, b)] : [Math.max(a, b), Math.min(a, b)];
  for (const other of k === 0 && scene.shared ? scene.panels : [panel]) { other.view[k] = [...ends]; draw(other); }
}

function listen(panel) {
  const { canvas } = panel;
  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    panel.drag = { x: e.offsetX, y: e.offsetY, now: [e.offsetX, e.offsetY], moving: e.shiftKey };
    tip.style.display = "none";
  });
  canvas.addEventListener("pointermove", (e) => {
    if (!panel.drag) return show(panel, e);
    const was = panel.drag.now;
    panel.drag.now = [e.offsetX, e.offsetY];
    if (!panel.drag.moving) return draw(panel);
    [0, 1].forEach((k) => {
      const [p, q] = box(panel)[k], by = panel.drag.now[k] - was[k];
      zoomed(panel, k, from(panel, k, p - by), from(panel, k, q - by));
    });
  });
  canvas.addEventListener("pointerup", () => {
    const drag = panel.drag;
    panel.drag = undefined;
    if (drag.moving) return;
    const start = [drag.x, drag.y];
    const ends = [0, 1].map((k) => [from(panel, k, start[k]), from(panel, k, drag.now[k])]);
    [0, 1].forEach((k) => { if (Math.abs(drag.now[k] - start[k]) > 6) zoomed(panel, k, ...ends[k]); });
    draw(panel);
  });
  canvas.addEventListener("pointerleave", () => { tip.style.display = "none"; });
  canvas.addEventListener("dblclick", () => [0, 1].forEach((k) => zoomed(panel, k, ...panel.all[k])));
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    const k = e.shiftKey ? 1 : 0, f = Math.exp((e.deltaY || e.deltaX) * 0.0015), [p, q] = box(panel)[k], at = k ? e.offsetY : e.offsetX;
    zoomed(panel, k, from(panel, k, at + (p - at) * f), from(panel, k, at + (q - at) * f));
  }, { passive: false });
}

function theme(dark) {
  document.documentElement.classList.toggle("dark", dark);
  scene.panels.forEach(draw);
}

scene.panels.forEach((panel, i) => build(panel, i === scene.panels.length - 1));
addEventListener("resize", () => scene.panels.forEach(draw));
addEventListener("keydown", (e) => { if (e.key === "d") theme(!document.documentElement.classList.contains("dark")); });
const asked = new URLSearchParams(location.hash.slice(1));
theme(asked.has("dark") || (!asked.has("light") && matchMedia("(prefers-color-scheme: dark)").matches));
document.body.dataset.ready = Math.round(performance.now());
