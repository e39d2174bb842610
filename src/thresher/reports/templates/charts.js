// Charts by Vega-Lite. Colours are those of the style sheet, so that a chart follows the reader's light or dark page.
const SERIES = [0, 1, 2, 3, 4, 5].map((number) => `var(--series-${number})`);
const DASHES = [[1, 0], [5, 3], [2, 2], [8, 3, 2, 3]];
const LOOK = {
  background: "transparent",
  font: "system-ui, sans-serif",
  view: { stroke: null },
  axis: {
    labelColor: "currentColor", titleColor: "currentColor", domainColor: "currentColor", tickColor: "currentColor",
    gridColor: "var(--line)", tickCount: 5, labelFontSize: 12, titleFontSize: 12, titleFontWeight: 500, domainOpacity: 0.5, tickOpacity: 0.5,
  },
  text: { fill: "currentColor", fontSize: 12 },
  rule: { stroke: "currentColor" },
};
const SIZE = { field: "share", type: "quantitative", title: "index size, % of the baseline's" };
const DEEPEST = 8; // Margins below the baseline that a chart shows: how large a larger loss is matters little.

// A share of all variants at most, for more points than can be seen only make the chart slow.
const MOST_POINTS = 150;
const thinned = (rows) => {
  const step = Math.ceil(rows.length / MOST_POINTS);
  return rows.filter((row, index) => index % step === 0 || row.front || row.recommended || index === rows.length - 1);
};
const rowsOf = (model) => model.sweeps.flatMap((sweep) => sweep.names.map((name, index) => ({
  name, sweep: sweep.name, line: sweep.swept, at: sweep.at[index], share: sweep.shares[index], mean: sweep.means[index][0],
  difference: less(sweep.means[index][0], model.base.means[0]), low: sweep.lows[index], high: sweep.highs[index],
  front: sweep.front[index], recommended: name === model.recommended,
})));
// The same variants with their means on the held-out topics.
const heldOut = (model) => ({
  ...model,
  short: model.short.map((name) => `${name}, held-out topics`),
  base: { ...model.base, means: model.base.held },
  sweeps: model.sweeps.map((sweep) => ({ ...sweep, means: sweep.held })),
});
const baseline = (model) => ({ name: "none", share: 100, mean: model.base.means[0], difference: 0 });
const tooltip = (model) => [
  { field: "name", title: "variant" },
  { field: "share", title: "index size, %", format: ".1f" },
  { field: "mean", title: model.short[0], format: ".4f" },
  { field: "difference", title: "difference", format: "+.4f" },
];
const range = (model, rows) => {
  const means = [model.base.means[0], ...rows.map((row) => row.mean)].filter((mean) => mean !== null);
  const top = Math.max(...means);
  let bottom = Math.min(...means);
  if (model.margin !== null) {
    const wanted = rows.filter((row) => row.recommended).map((row) => row.mean);
    bottom = Math.max(bottom, Math.min(model.base.means[0], ...wanted) - DEEPEST * model.margin);
    bottom = Math.min(bottom, model.base.means[0] - 1.5 * model.margin);
  }
  const room = 0.06 * (top - bottom) || 0.01;
  return [bottom - room, top + 2 * room];
};
const meanAxis = (model, domain) => ({
  field: "mean", type: "quantitative", title: model.short[0], scale: { domain, zero: false, nice: false },
});

// A word at a point, with the ground's colour around it, so that lines below do not cross it.
const labelled = (one, row, look) => [
  one([row], { type: "text", ...look, stroke: "var(--ground)", strokeWidth: 4, strokeJoin: "round", tooltip: null }),
  one([row], { type: "text", ...look, tooltip: null }),
];
const frontierChart = (model, height) => {
  const every = rowsOf(model);
  const rows = every.filter((row) => row.front || row.recommended).sort((a, b) => a.share - b.share);
  const base = baseline(model);
  const domain = range(model, rows);
  const inside = rows.filter((row) => row.mean >= domain[0]);
  const y = meanAxis(model, domain);
  const x = { ...SIZE, scale: { domain: [0, Math.max(104, ...inside.map((row) => row.share))], nice: false } };
  const one = (values, mark, more = {}) => ({ data: { values }, mark, encoding: { x, y, tooltip: tooltip(model), ...more } });
  const front = inside.filter((row) => row.front);
  const layers = [];
  if (front.length) {
    layers.push(
      one(front, { type: "line", interpolate: "step-after", stroke: "var(--soft)", strokeWidth: 1.5, tooltip: null }),
      one(front, { type: "circle", size: 55, fill: "var(--series-0)", opacity: 1 }),
      one([front[Math.floor(front.length / 2)]],
        { type: "text", text: "frontier", dy: 16, dx: 6, align: "left", fill: "var(--soft)" }),
    );
  }
  if (model.margin !== null) {
    const level = base.mean - model.margin;
    layers.push(
      { data: { values: [{ mean: level }] }, mark: { type: "rule", stroke: "var(--worse)", strokeDash: [5, 4], strokeWidth: 1.5 },
        encoding: { y } },
      one([{ share: 0, mean: level }],
        { type: "text", text: "margin", align: "left", dx: 4, dy: -7, fill: "var(--worse)", tooltip: null }),
    );
  }
  layers.push(
    { data: { values: [base] }, mark: { type: "rule", strokeWidth: 1, opacity: 0.5 }, encoding: { y } },
    one([base], { type: "point", shape: "square", size: 90, filled: true, fill: "currentColor", opacity: 1 }),
    ...labelled(one, base, { text: "baseline", align: "right", dx: 6, dy: 16 }),
  );
  const [chosen] = every.filter((row) => row.recommended);
  if (chosen) {
    const align = chosen.share > 85 ? "right" : "center";
    layers.push(
      one([chosen], { type: "point", shape: "diamond", size: 240, filled: true, fill: "var(--series-1)", opacity: 1 }),
      ...labelled(one, chosen, { text: "recommended", align, dx: align === "right" ? 12 : 0, dy: -18, fontWeight: 600 }),
    );
  }
  return { height, layer: layers, description: `Index size against ${model.short[0]}: the frontier of all variants` };
};

const styles = (names) => ({
  color: { field: "sweep", type: "nominal", legend: null,
    scale: { domain: names, range: names.map((_, number) => SERIES[number % SERIES.length]) } },
  strokeDash: { field: "sweep", type: "nominal", legend: null,
    scale: { domain: names, range: names.map((_, number) => DASHES[Math.floor(number / SERIES.length) % DASHES.length]) } },
});
// A line as the chart draws it, for the key beside the chart.
const sampleLine = (number) => {
  const made = (name, attributes) => {
    const part = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, value);
    return part;
  };
  const dash = DASHES[Math.floor(number / SERIES.length) % DASHES.length];
  const look = { x1: 0, x2: 24, y1: 4, y2: 4, stroke: SERIES[number % SERIES.length], "stroke-width": 3 };
  const sample = made("svg", { viewBox: "0 0 24 8", "aria-hidden": "true" });
  sample.append(made("line", { ...look, ...(dash[1] ? { "stroke-dasharray": dash.join(" ") } : {}) }));
  return sample;
};
const linesChart = (model, rows, names, height, label) => {
  const domain = range(model, rows);
  const x = { ...SIZE, scale: { nice: false, zero: true } };
  const y = { ...meanAxis(model, domain), scale: { ...meanAxis(model, domain).scale, clamp: true } };
  const dim = (shown, hidden) =>
    ({ condition: { test: "isolated === null || datum.sweep === isolated", value: shown }, value: hidden });
  const { color, strokeDash } = styles(names);
  return {
    height,
    description: label,
    params: [{ name: "isolated", value: null }, { name: "pinned", value: [] }],
    layer: [
      { data: { values: [baseline(model)] }, mark: { type: "rule", opacity: 0.5 }, encoding: { y } },
      ...(rows.some((row) => row.line) ? [{ data: { values: rows.filter((row) => row.line) }, mark: { type: "line", strokeWidth: 1.5 },
        encoding: { x, y, color, strokeDash, order: { field: "share" }, opacity: dim(0.9, 0.06) } }] : []),
      { data: { values: rows, name: "variants" }, mark: { type: "circle", cursor: "pointer" },
        params: [{ name: "near", select: { type: "point", on: "pointerover", nearest: true, clear: "pointerout" } }],
        encoding: {
          x, y, color, opacity: dim(0.85, 0.04), tooltip: tooltip(model),
          size: { value: 14, condition: [{ test: "indexof(pinned, datum.name) >= 0", value: 220 }, { param: "near", empty: false, value: 130 }] },
        } },
      { data: { values: [baseline(model)] }, mark: { type: "point", shape: "square", size: 90, filled: true, fill: "currentColor", opacity: 1 },
        encoding: { x, y, tooltip: tooltip(model) } },
    ],
  };
};

const sweepChart = (model, sweep, height) => {
  const rows = sweep.names.map((name, index) => ({
    name, step: index, at: sweep.at[index], share: sweep.shares[index], mean: sweep.means[index][0],
    difference: less(sweep.means[index][0], model.base.means[0]), low: sweep.lows[index], high: sweep.highs[index],
  }));
  const floor = -DEEPEST * model.margin;
  const shown = thinned(rows);
  const title = sweep.swept ? `cutoff of ${sweep.name}` : "index size, % of the baseline's";
  const x = { field: "at", type: "quantitative", title, scale: sweep.log ? { type: "log", nice: false } : { zero: false, nice: false } };
  const lowest = Math.max(floor, Math.min(-1.5 * model.margin, ...rows.map((row) => row.low)));
  const y = { type: "quantitative", title: `difference in ${model.short[0]}`,
    scale: { domain: [lowest, Math.max(0, ...rows.map((row) => row.high))], clamp: true, nice: false } };
  const mark = sweep.swept ? "line" : "circle";
  const here = [{ filter: "datum.step === step" }];
  const bare = { ...x, title: null, axis: { labels: false, ticks: false } };
  return {
    params: [{ name: "step", value: 0 }],
    description: `${sweep.name}: difference from the baseline and index size by cutoff`,
    spacing: 14,
    vconcat: [
      { width: "container", height, layer: [
        { data: { values: shown }, mark: sweep.swept ? { type: "area", opacity: 0.16, fill: "var(--series-0)" } : { type: "rule", opacity: 0.12 },
          encoding: { x: bare, y: { ...y, field: "low" }, y2: { field: "high" } } },
        { data: { values: [{ difference: 0 }] }, mark: { type: "rule", opacity: 0.6 }, encoding: { y: { ...y, field: "difference" } } },
        { data: { values: [{ difference: -model.margin }] }, mark: { type: "rule", stroke: "var(--worse)", strokeDash: [5, 4], strokeWidth: 1.5 },
          encoding: { y: { ...y, field: "difference" } } },
        { data: { values: shown }, mark: { type: mark, stroke: sweep.swept ? "var(--series-0)" : null, fill: sweep.swept ? null : "var(--series-0)" },
          encoding: { x: bare, y: { ...y, field: "difference" }, tooltip: tooltip(model) } },
        { data: { values: rows }, transform: here, mark: { type: "rule", strokeDash: [2, 2] }, encoding: { x: bare } },
        { data: { values: rows }, transform: here, mark: { type: "circle", size: 90, fill: "var(--series-1)", opacity: 1 },
          encoding: { x: bare, y: { ...y, field: "difference" } } },
      ] },
      { width: "container", height: height / 2, layer: [
        { data: { values: shown }, mark: { type: mark, stroke: sweep.swept ? "var(--series-2)" : null, fill: sweep.swept ? null : "var(--series-2)" },
          encoding: { x, y: { field: "share", type: "quantitative", title: "size, %", scale: { zero: true } }, tooltip: tooltip(model) } },
        { data: { values: rows }, transform: here, mark: { type: "rule", strokeDash: [2, 2] }, encoding: { x } },
        { data: { values: rows }, transform: here, mark: { type: "circle", size: 90, fill: "var(--series-1)", opacity: 1 },
          encoding: { x, y: { field: "share", type: "quantitative" } } },
      ] },
    ],
  };
};

const topicsChart = (rows, label, height) => ({
  height,
  description: `Topics by ${label}`,
  data: { values: rows.map((row, index) => ({ ...row, rank: index + 1 })) },
  mark: { type: "bar" },
  encoding: {
    x: { field: "rank", type: "ordinal", title: "topics, from most gained to most lost", axis: { labels: false, ticks: false }, scale: { paddingInner: 0.1 } },
    y: { field: "difference", type: "quantitative", title: label },
    color: { condition: { test: "datum.difference < 0", value: "var(--series-1)" }, value: "var(--series-0)" },
    tooltip: [
      { field: "topic" }, { field: "query" }, { field: "a", title: "A", format: ".4f" }, { field: "b", title: "B", format: ".4f" },
      { field: "difference", format: "+.4f" },
    ],
  },
});

let library = null;
const draw = async (place, spec) => {
  library ??= unpacked("chart-library").then((text) => {
    document.head.append(element("script", { textContent: text }));
    return window.vegaEmbed;
  });
  const embed = await library;
  const fitted = spec.vconcat ? spec : { width: "container", autosize: { type: "fit-x", contains: "padding" }, ...spec };
  const { view } = await embed(place, { ...fitted, config: LOOK }, { mode: "vega-lite", renderer: "svg", actions: false, ast: true });
  place.dataset.drawn = "";
  return view;
};
// A chart in a closed section has no width: it is drawn when its section opens, once.
const drawWhenOpen = (place, make) => {
  const section = place.closest("details");
  let made = null;
  const start = () => {
    if (!made && place.getClientRects().length) made = make();
  };
  section?.addEventListener("toggle", start);
  addEventListener("modelchange", start);
  start();
};
