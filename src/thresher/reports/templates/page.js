// Opens the section that an address or a link names.
const reveal = (target) => {
  for (let section = target; section; section = section.parentElement?.closest("details")) {
    if (section.tagName === "DETAILS") section.open = true;
  }
  target.scrollIntoView();
};
const revealNamed = () => {
  const target = document.querySelector(":target");
  if (target) reveal(target);
};

// One retrieval model is shown at a time.
const modelSwitch = (count) => {
  const buttons = document.querySelectorAll("#models input");
  const followers = [];
  const select = (model) => {
    for (const part of document.querySelectorAll("[data-model]")) part.hidden = Number(part.dataset.model) !== model;
    if (buttons[model]) buttons[model].checked = true;
    if (switcher.model === model) return;
    switcher.model = model;
    for (const follow of followers) follow(model);
    dispatchEvent(new Event("modelchange"));
  };
  for (const [model, button] of buttons.entries()) button.addEventListener("change", () => select(model));
  const switcher = { model: -1, select, changed: (follow) => followers.push(follow) };
  document.documentElement.classList.add("scripted");
  if (count) select(0);
  return switcher;
};

const figuresOf = (model, name) => {
  for (const sweep of model.sweeps) {
    const index = sweep.names.indexOf(name);
    if (index >= 0) return { sweep, index };
  }
  return null;
};

// Of a scorer and a pruning method, each with cutoffs, the variants that are better than all that are as small.
const best = (rows) => {
  let most = -Infinity;
  return [...rows].sort((a, b) => a.share - b.share).flatMap((row) => {
    const better = row.mean > most;
    most = Math.max(most, row.mean);
    return better || row.recommended ? [{ ...row, line: true }] : [];
  });
};

// All variants in one chart: a legend that isolates a scorer, and two variants side by side.
const startComparing = (data, models) => {
  const part = (name) => document.getElementById(`compare-${name}`);
  if (!part("form")) return;
  const inputs = [part("a"), part("b")];
  let views = [];
  let next = 0;
  const model = () => data.models[models.model];
  const rowsOfTable = (one) => {
    const size = ({ sweep, index }) => `${fixed(sweep.shares[index], 1)} %`;
    const of = (field, digits, unit = "") => ({ sweep, index }) =>
      sweep[field][index] === null || sweep[field][index] === undefined ? "–" : `${fixed(sweep[field][index], digits)}${unit}`;
    const measures = one.measures.map((measure, number) => [measure, ({ sweep, index }) => {
      const mean = sweep.means[index][number];
      return `${fixed(mean, 4)} (${signed(less(mean, one.base.means[number]))})`;
    }]);
    const bounds = ({ sweep, index }) => `${signed(sweep.lows[index])} to ${signed(sweep.highs[index])}`;
    return [
      ["index size", size], ...measures, [`bounds of ${one.measures[0]}`, bounds],
      ...(one.judged ? [["verdict", ({ sweep, index }) => sweep.verdicts[index]]] : []),
      ["words kept", of("words", 1, " %")], ["pages with text", of("documents", 0)], ["postings per query", of("postings", 0)],
      ...(one.seconds ? [["time saved per query", ({ sweep, index }) =>
        sweep.saved[index] ? seconds(sweep.saved[index][0]) : "not measurable here"]] : []),
    ];
  };
  const show = () => {
    const found = inputs.map((input) => figuresOf(model(), input.value));
    for (const [number, input] of inputs.entries()) {
      input.setCustomValidity(input.value && !found[number] ? "There is no such variant." : "");
    }
    const names = inputs.map((input, number) => (found[number] ? input.value : "–"));
    part("head").replaceChildren(element("th", { scope: "col", className: "left", textContent: "" }),
      ...names.map((name) => element("th", { scope: "col", textContent: name })));
    part("figures").replaceChildren(...rowsOfTable(model()).map(([label, text]) => element("tr", {},
      element("th", { scope: "row", textContent: label }),
      ...found.map((one) => element("td", { textContent: one ? text(one) : "–" })))));
    for (const view of views) view.signal("pinned", inputs.map((input) => input.value)).runAsync();
  };
  const pin = (name) => {
    inputs[next].value = name;
    next = 1 - next;
    show();
  };
  const isolate = (name) => {
    for (const button of part("legend").querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.name === name));
    }
    for (const view of views) view.signal("isolated", name).runAsync();
  };
  const legend = (names) => {
    part("legend").replaceChildren(...names.map((name, number) => {
      const button = element("button", { type: "button" }, sampleLine(number), name);
      button.dataset.name = name;
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => isolate(button.getAttribute("aria-pressed") === "true" ? null : name));
      return button;
    }));
  };
  const chart = async () => {
    const one = model();
    const names = one.sweeps.map((sweep) => sweep.name);
    const rows = one.sweeps.flatMap((sweep) => {
      const all = rowsOf({ ...one, sweeps: [sweep] });
      return thinned(sweep.swept || sweep.grid !== true ? all : best(all));
    });
    legend(names);
    const view = await draw(part("chart"), linesChart(one, rows, names, 420, `All variants: index size against ${one.short[0]}`));
    view.addEventListener("click", (_, item) => {
      const row = item?.datum?.datum ?? item?.datum;
      if (row?.name && figuresOf(one, row.name)) pin(row.name);
    });
    views = [view];
    show();
  };
  const choose = () => {
    const one = model();
    part("names").replaceChildren(...one.sweeps.flatMap((sweep) => sweep.names.map((name) => element("option", { value: name }))));
    const every = rowsOf(one).filter((row) => row.front && !row.recommended);
    inputs[0].value = one.recommended ?? every[every.length - 1]?.name ?? "";
    inputs[1].value = every[0]?.name ?? "";
    next = 0;
    show();
  };
  for (const input of inputs) input.addEventListener("change", show);
  part("form").addEventListener("submit", (event) => event.preventDefault());
  const start = () => {
    views = [];
    choose();
    if (part("chart").getClientRects().length) chart();
    else part("chart").closest("details").addEventListener("toggle", chart, { once: true });
  };
  models.changed(start);
  start();
};

// Every topic with any two variants.
const startTopics = (data, models) => {
  const part = (name) => document.getElementById(`topics-${name}`);
  if (!part("form")) return;
  const topics = () => data.models[models.model].topics;
  const selects = [part("a"), part("b")];
  const rows = () => {
    const all = topics();
    const [a, b] = selects.map((select) => all.values[Number(select.value)]);
    return all.ids
      .map((topic, index) => ({ topic, query: all.queries[index], a: a[index], b: b[index], difference: less(b[index], a[index]) }))
      .filter((row) => row.difference !== null)
      .sort((one, other) => other.difference - one.difference);
  };
  const show = () => {
    const all = topics();
    const list = rows();
    const count = (test) => list.filter(({ difference }) => test(difference)).length;
    const mean = list.reduce((sum, row) => sum + row.difference, 0) / (list.length || 1);
    const [a, b] = selects.map((select) => all.variants[Number(select.value)]);
    part("counts").textContent = `${b} against ${a}: ${count((d) => d > 0)} topics won, ${count((d) => d === 0)} tied, ` +
      `${count((d) => d < 0)} lost; mean difference ${signed(mean)}.`;
    part("rows").replaceChildren(...list.map((row) => {
      const cell = (text, value) => {
        const made = element("td", { textContent: text });
        if (value !== undefined) made.dataset.value = value;
        return made;
      };
      const name = Object.hasOwn(data.pages, row.topic) ? element("a", { href: data.pages[row.topic], textContent: row.topic }) : row.topic;
      const query = element("td", { className: "left wrap", dir: "auto", textContent: row.query });
      return element("tr", {}, element("th", { scope: "row" }, name), query, cell(fixed(row.a, 4), row.a), cell(fixed(row.b, 4), row.b),
        cell(signed(row.difference), row.difference));
    }));
    if (part("chart").getClientRects().length) {
      draw(part("chart"), topicsChart(list, `difference in ${data.models[models.model].short[0]}`, 200));
    }
  };
  const choose = () => {
    const one = data.models[models.model];
    part("form").hidden = !one.topics;
    if (!one.topics) return;
    for (const select of selects) {
      select.replaceChildren(...one.topics.variants.map((name, index) => element("option", { value: index, textContent: name })));
    }
    const front = rowsOf(one).filter((row) => row.front).map((row) => row.name);
    const other = one.topics.variants.indexOf(one.recommended ?? front[front.length - 1]);
    selects[0].value = Math.max(0, one.topics.variants.indexOf("none"));
    selects[1].value = other >= 0 ? other : one.topics.variants.length - 1;
    show();
  };
  for (const select of selects) select.addEventListener("change", show);
  part("form").addEventListener("submit", (event) => event.preventDefault());
  part("form").closest("details").addEventListener("toggle", () => part("chart").dataset.drawn === undefined && show());
  models.changed(choose);
  choose();
};

(async () => {
  const data = JSON.parse(await unpacked("page-data"));
  const models = modelSwitch(data.models.length);
  for (const [number, model] of data.models.entries()) {
    const place = document.getElementById(`frontier-${number}`);
    drawWhenOpen(place, () => draw(place, frontierChart(model, 500)));
    const held = document.getElementById(`held-out-${number}`);
    if (held && model.base.held[0] !== null) {
      const said = "The first chart with the means on the held-out topics; the frontier is still that of the first.";
      held.after(element("p", { className: "below", textContent: said }));
      drawWhenOpen(held, () => draw(held, frontierChart(heldOut(model), 400)));
    }
    const families = document.getElementById(`families-${number}`);
    if (families) {
      const names = model.families.map(({ name }) => name);
      const rows = model.families.flatMap((family) => family.names.map((name, index) => ({
        name, sweep: family.name, line: true, share: family.shares[index], mean: family.means[index],
        difference: less(family.means[index], model.base.means[0]), front: false, recommended: name === model.recommended,
      })));
      families.before(element("p", { className: "legend" }, ...names.map((name, at) => element("span", {}, sampleLine(at), ` ${name}`))));
      drawWhenOpen(families, () => draw(families, linesChart(model, rows, names, 320, `The best of each family: index size against ${model.short[0]}`)));
    }
  }
  startComparing(data, models);
  startTopics(data, models);
  if (document.getElementById("reading-form")) startReading(data, models);
  addEventListener("hashchange", revealNamed);
  revealNamed();
  addEventListener("beforeprint", () => document.querySelectorAll("details.answer").forEach((section) => (section.open = true)));
  document.documentElement.dataset.ready = "";
})();
