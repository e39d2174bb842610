// Charts by Vega-Lite, whose specifications are among the page's figures. Each brings its look and takes the page's colours.
const rowsOf = (model, sweep) => model.rows.filter((row) => row.sweep === sweep);
let library = null;
const draw = async (place, look, spec, rows = []) => {
  library ??= unpacked("chart-library").then((text) => {
    document.head.append(element("script", { textContent: text }));
    return window.vegaEmbed;
  });
  const embed = await library;
  const whole = { ...spec, datasets: { rows }, config: look };
  const { view } = await embed(place, whole, { mode: "vega-lite", renderer: "svg", actions: false, ast: true });
  place.dataset.drawn = "";
  return view;
};
// A chart in a closed section has no width: it is drawn when its section opens, once.
const drawWhenOpen = (place, ...chart) => {
  let made = null;
  const start = () => { if (!made && place.getClientRects().length) made = draw(place, ...chart); };
  place.closest("details")?.addEventListener("toggle", start);
  addEventListener("modelchange", start);
  start();
};
