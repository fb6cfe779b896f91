// The numbers of a page: its scene, the series of its runs, and where a time lies among them.

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


/** The n numbers of a packed series: differences of levels, summed up; NaN in its gaps, which is drawn nowhere. */
function series(packed, n) {
  const found = new Float32Array(n).fill(packed.low), gaps = packed.gaps || [];
  const scale = packed.at === undefined ? 0 : (packed.high - packed.low) / 65535;
  let level = 0;
  if (scale) for (let i = 0; i < n; i++) {
    level = (level + levels[packed.at + i]) & 65535;
    found[i] = packed.low + scale * level;
  }
  for (let k = 0; k < gaps.length; k += 2) found.fill(NaN, gaps[k], gaps[k + 1]);
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
