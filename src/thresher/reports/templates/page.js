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

// All variants in one chart: a legend that shows and hides scorers, and two variants side by side.
const startComparing = (data, models) => {
  const part = (name) => document.getElementById(`compare-${name}`);
  if (!part("form")) return;
  const inputs = [part("a"), part("b")];
  let views = [];
  let next = 0;
  const model = () => data.models[models.model];
  const named = (name) => model().rows.find((row) => row.name === name);
  const rowsOfTable = (one) => {
    const measures = one.measures.map((measure, number) => [measure, ({ means }) =>
      `${fixed(means[number], 4)} (${signed(less(means[number], one.base.means[number]))})`]);
    return [
      ["index size", ({ share }) => `${fixed(share, 1)} %`], ...measures,
      [`bounds of ${one.measures[0]}`, ({ low, high }) => (low === null ? "–" : `${signed(low)} to ${signed(high)}`)],
      ["words kept", ({ words }) => (words === null ? "–" : `${fixed(words, 1)} %`)],
      ["pages with text", ({ documents }) => fixed(documents, 0)], ["postings per query", ({ postings }) => fixed(postings, 0)],
      ...(one.seconds ? [["time saved per query", ({ saved }) => (saved ? seconds(saved[0]) : "not measurable here")]] : []),
    ];
  };
  const show = () => {
    const found = inputs.map(({ value }) => named(value) ?? (value && model().rows.find(({ name }) => name.startsWith(value))));
    for (const [number, input] of inputs.entries()) {
      input.setCustomValidity(input.value && !found[number] ? "There is no such variant." : "");
    }
    const names = found.map((row) => (row ? row.name : "–"));
    part("head").replaceChildren(element("th", { scope: "col", className: "left", textContent: "" }),
      // A long name breaks where its parts begin.
      ...names.map((name) => element("th", { scope: "col" }, ...name.split(/(?=[|@])/).flatMap((piece) => [piece, element("wbr")]))));
    part("figures").replaceChildren(...rowsOfTable(model()).map(([label, text]) => element("tr", {},
      element("th", { scope: "row", textContent: label }),
      ...found.map((one) => element("td", { textContent: one ? text(one) : "–" })))));
    for (const view of views) view.signal("pinned", names).runAsync();
  };
  const pin = (name) => {
    inputs[next].value = name;
    next = 1 - next;
    show();
  };
  const buttons = document.querySelectorAll("#compare-legend [data-name]");
  let shown = [];
  const showLines = (names) => {
    shown = names;
    for (const button of buttons) button.setAttribute("aria-pressed", String(names.includes(button.dataset.name)));
    for (const view of views) view.signal("shown", names).runAsync();
  };
  for (const button of document.querySelectorAll("#compare-legend button")) {
    const { name, show: few } = button.dataset;
    const without = () => shown.filter((one) => one !== name);
    button.addEventListener("click", () => showLines(!name ? (model()[few] ?? []) : shown.includes(name) ? without() : [...shown, name]));
  }
  const chart = async () => {
    const one = model();
    const view = await draw(part("chart"), data.look, one.all, one.rows);
    view.addEventListener("click", (_, item) => {
      const row = item?.datum?.datum ?? item?.datum;
      if (row?.name && named(row.name)) pin(row.name);
    });
    views = [view];
    show();
  };
  const choose = () => {
    const one = model();
    part("names").replaceChildren(...one.rows.map(({ name }) => element("option", { value: name })));
    const every = one.rows.filter((row) => row.front && !row.recommended).sort((row, other) => other.mean - row.mean);
    inputs[0].value = one.recommended ?? every.shift()?.name ?? "";
    inputs[1].value = every[0]?.name ?? "";
    next = 0;
    showLines(model().leading);
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
      draw(part("chart"), data.look, data.models[models.model].bars, list.map((row, index) => ({ ...row, rank: index + 1 })));
    }
  };
  const choose = () => {
    const one = data.models[models.model];
    part("form").hidden = !one.topics;
    if (!one.topics) return;
    for (const select of selects) {
      select.replaceChildren(...one.topics.variants.map((name, index) => element("option", { value: index, textContent: name })));
    }
    const front = one.rows.filter((row) => row.front).map((row) => row.name);
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
    for (const [name, rows] of [["frontier"], ["held"], ["families", model.rows]]) {
      const place = document.getElementById(`${name}-${number}`);
      if (place && model[name]) drawWhenOpen(place, data.look, model[name], rows);
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
