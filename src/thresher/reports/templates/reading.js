const startReading = (data, models) => {
  const part = (name) => document.getElementById(`reading-${name}`);
  const opening = "#reading:";
  const state = { model: 0, sweep: 0, step: 0 };
  let pending = 0;
  let chart = null;

  // Names may hold the colon that parts them; signs that read well stay as they are.
  const encoded = (name) => encodeURIComponent(name).replace(/%(40|3D|2C|2B)/g, (code) => decodeURIComponent(code));
  const address = (model, name) => opening + encoded(name) + (model ? `:${encoded(data.models[model].name)}` : "");

  const find = (model, name) => {
    const row = data.models[model].rows.find((row) => row.name === name);
    return row ? { model, sweep: data.models[model].sweeps.indexOf(row.sweep), step: row.step } : null;
  };
  const variants = ({ model, sweep } = state) => rowsOf(data.models[model], data.models[model].sweeps[sweep]);
  const fromAddress = () => {
    if (!location.hash.startsWith(opening)) return null;
    try {
      const [name, retrieval] = location.hash.slice(opening.length).split(":").map(decodeURIComponent);
      const model = retrieval === undefined ? 0 : data.models.findIndex((one) => one.name === retrieval);
      return model < 0 ? null : find(model, name);
    } catch {
      return null;
    }
  };

  const fill = (select, names) => { select.replaceChildren(...names.map((name, index) => new Option(name, index))); };
  const showModel = () => {
    const model = data.models[state.model];
    fill(part("sweep"), model.sweeps);
    part("costs").hidden = model.seconds === null;
  };
  const showSweep = () => {
    const rows = variants();
    part("sweep").value = state.sweep;
    part("step").max = rows.length - 1;
    part("ends").textContent =
      rows[0].cutoff === null ? "From the largest index to the smallest" : "From the cutoff that keeps most to the strictest";
    chart = null;
    if (!part("plot").getClientRects().length) return;
    chart = draw(part("plot"), data.look, data.models[state.model].cutoffs[state.sweep], rows);
    mark(chart);
  };
  // Another scorer may be asked for before this one is drawn.
  const mark = (drawn) => drawn?.then((view) => chart === drawn && view.signal("step", state.step).runAsync());
  const showMeasures = (model, row) => {
    const anyHeld = model.base.held.some((held) => held !== null);
    for (const header of part("form").querySelectorAll("th.held")) header.hidden = !anyHeld;
    part("measures").replaceChildren(
      ...model.measures.map((measure, index) => {
        const [mean, held] = [row.means[index], row.held[index]];
        const texts = [fixed(mean, 4), signed(less(mean, model.base.means[index]))];
        if (anyHeld) texts.push(fixed(held, 4), signed(less(held, model.base.held[index])));
        return element("tr", {}, element("th", { scope: "row", textContent: measure }),
          ...texts.map((text) => element("td", { textContent: text })));
      }),
    );
  };
  const saved = (model, perQuery) => {
    if (model.seconds === null || !perQuery) return "–";
    const queries = part("queries").valueAsNumber;
    if (!(queries >= 1)) return "–";
    const [value, low, high] = perQuery.map((one) => seconds(queries * Math.abs(one)));
    const bounds = perQuery[0] > 0 ? `${low} to ${high}` : `${high} to ${low}`;
    return `${value} ${perQuery[0] > 0 ? "saved" : "lost"} (${bounds}) of ${seconds(queries * model.seconds)}`;
  };
  const show = () => {
    const model = data.models[state.model];
    const row = variants()[state.step];
    part("step").value = state.step;
    part("step").setAttribute("aria-valuetext", row.name);
    part("name").textContent = row.name;
    part("cutoff").textContent = row.cutoff ?? "–";
    showMeasures(model, row);
    const bounds = row.low === null ? "" : ` (${signed(row.low)} to ${signed(row.high)}, ${model.sure})`;
    part("band").textContent = `${signed(row.difference)}${bounds}`;
    part("words").textContent = row.words === null ? "–" : `${fixed(row.words, 1)} %`;
    part("documents").textContent = `${fixed(row.documents, 0)} of ${fixed(model.base.documents, 0)}`;
    part("size").textContent = `${fixed(row.size, 0)} (${fixed(row.share, 1)} % of the baseline's)`;
    part("saved").textContent = saved(model, row.saved);
    mark(chart);
  };
  const remember = () => {
    // Browsers limit how often a page may change its address, as a held key would.
    clearTimeout(pending);
    pending = setTimeout(() => {
      history.replaceState(null, "", address(state.model, variants()[state.step].name));
    }, 300);
  };
  const go = (target) => {
    const newModel = target.model !== state.model;
    const newSweep = newModel || target.sweep !== state.sweep;
    Object.assign(state, target);
    if (newModel) showModel();
    if (newSweep) showSweep();
    show();
  };
  const nearest = (rows, size) => {
    const far = rows.map((other) => Math.abs(other.size - size));
    return far.indexOf(Math.min(...far));
  };

  part("step").addEventListener("input", (event) => {
    go({ ...state, step: event.target.valueAsNumber });
    remember();
  });
  part("sweep").addEventListener("change", (event) => {
    const sweep = Number(event.target.value);
    go({ ...state, sweep, step: nearest(variants({ ...state, sweep }), variants()[state.step].size) });
    remember();
  });
  models.changed((model) => {
    if (model === state.model) return;
    go(find(model, variants()[state.step].name) ?? { model, sweep: 0, step: 0 });
    remember();
  });
  part("form").closest("details")?.addEventListener("toggle", () => chart ?? showSweep());
  part("queries").addEventListener("input", show);
  part("form").addEventListener("submit", (event) => event.preventDefault());
  const follow = () => {
    const target = fromAddress();
    if (!target) return;
    clearTimeout(pending);
    models.select(target.model);
    go(target);
    reveal(document.getElementById("reading"));
  };
  addEventListener("hashchange", follow);

  part("queries").value = data.queries;
  part("form").hidden = false;
  const start = data.models[0].recommended;
  Object.assign(state, (start === null ? null : find(0, start)) ?? state);
  showModel();
  showSweep();
  show();
  follow();
};
