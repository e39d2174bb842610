{
  const part = (id) => document.getElementById(id);
  const data = JSON.parse(part("data").textContent);
  const pageScripts = [...document.querySelectorAll("script.page")];
  const frames = [...document.querySelectorAll("template.itself")];
  const scorers = Object.fromEntries(data.scorers.map((scorer) => [scorer.name, scorer]));
  const LETTERS = ["A", "B"];
  const WHOLE = 4000; // sentences: longer pages are filled near the visible part alone
  const ROW = 30; // sentences in a row of a long block
  const CHUNK = 40; // rows
  const LONGEST = 20000; // characters of a sentence that are shown
  const MOST = 3; // neighbouring rows that both remove: longer runs are folded into their first row
  const sides = data.sides.map((cuts) => ({ cuts, mask: null, name: "" }));
  let page = null;
  let rows = [];
  let chunks = [];
  let selected = -1; // the row of the selected block
  let lastSearch = "";

  const make = (tag, properties = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name in element && name !== "list") element[name] = value;
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  };
  const whole = (value) => value.toLocaleString("en");
  const short = (score) => {
    if (Number.isNaN(score)) return "–";
    if (!Number.isFinite(score)) return score > 0 ? "∞" : "−∞";
    const text = Math.abs(score) >= 1000 ? whole(Math.round(score)) : String(Number(score.toPrecision(4)));
    return text.replace("-", "−");
  };
  const range = (scores) => `${short(Math.min(...scores))} to ${short(Math.max(...scores))}`;
  const say = (text) => {
    part("message").textContent = text;
    part("message").hidden = !text;
  };
  let speaking = 0;
  const announce = (text) => {
    clearTimeout(speaking);
    speaking = setTimeout(() => (part("live").textContent = text), 400);
  };

  // --- what is cut

  const total = () => page.words.reduce((sum, words) => sum + words, 0);
  const recut = (number) => {
    const side = sides[number];
    const old = side.mask;
    side.mask = cutting.mask(page, scorers, side.cuts);
    side.name = cutting.name(scorers, side.cuts);
    showCounts(number);
    showDifferences();
    for (const chunk of chunks) if (chunk.filled) repaint(chunk, number, old);
    fold();
    dim();
    if (selected >= 0) showAbout();
    showRanks();
    remember();
  };
  const recutAll = (number) => {
    showCuts(number);
    recut(number);
  };
  const showCounts = (number) => {
    const { cuts, mask, name, elements } = sides[number];
    const ofBlocks = cuts.every(({ scorer }) => scorers[scorer].segment === "block");
    const unit = ofBlocks ? "blocks" : "sentences";
    const places = new Set();
    const keptPlaces = new Set();
    let words = 0;
    mask.forEach((kept, index) => {
      const place = ofBlocks ? page.block[index] : index;
      places.add(place);
      if (!kept) return;
      keptPlaces.add(place);
      words += page.words[index];
    });
    const removed = places.size - keptPlaces.size;
    const all = page.total;
    const share = all ? (100 * words) / all : 100;
    const decimals = share > 0 && share < 10 ? 1 : 0;
    elements.words.textContent = whole(words);
    elements.of.textContent = ` of ${whole(all)} words kept (${share.toFixed(decimals)} %), `;
    elements.removed.textContent = whole(removed);
    elements.rest.textContent = ` of ${whole(places.size)} ${unit} removed`;
    elements.meter.style.width = `${share}%`;
    for (const { code, line } of elements.lines) code.textContent = line(name);
    elements.which.textContent = `${LETTERS[number]}: ${name}`;
    announce(`${LETTERS[number]}: ${words} words kept, ${removed} ${unit} removed`);
  };
  const differing = (row) => {
    for (let index = row.begin; index < row.end; index++) {
      if (sides[0].mask[index] !== sides[1].mask[index]) return true;
    }
    return false;
  };
  const removed = ({ begin, end }) => {
    for (const { mask } of sides) {
      if (mask.subarray(begin, end).some((kept) => kept)) return false;
    }
    return true;
  };
  // A row's fold is null if it is shown, a text if it stands for a run of rows, and empty for the other rows of the run.
  const fold = () => {
    let run = [];
    for (const row of rows) {
      row.fold = null;
      if (removed(row)) {
        run.push(row);
      } else {
        foldRun(run);
        run = [];
      }
    }
    foldRun(run);
    rows.forEach(showFold);
    for (const { begin, end, element } of chunks) element.hidden = rows.slice(begin, end).every(({ fold }) => fold === "");
  };
  const foldRun = (run) => {
    if (run.length <= MOST || run.some(({ open }) => open)) return;
    for (const row of run) row.fold = "";
    run[0].fold = `▸ ${whole(run.length)} blocks that both remove`;
  };
  const showFold = ({ element, fold }) => {
    if (!element) return;
    if (fold === null) element.removeAttribute("data-fold");
    else element.setAttribute("data-fold", fold);
  };
  const showDifferences = () => {
    if (!sides[0].mask || !sides[1].mask) return;
    const count = rows.filter(differing).length;
    part("differences").textContent = count ? `A and B differ in ${whole(count)} of ${whole(rows.length)} rows` : "A and B keep the same";
    part("difference").disabled = !count;
  };

  // --- a cleaner's controls

  const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const LINES = [
    { label: "name", line: (name) => name },
    { label: "shell", line: (name) => `thresher clean page.html -c ${quote(name)} -o cleaned.jsonl` },
    { label: "Python", line: (name) => `thresher.clean_html(open("page.html", "rb").read(), ${JSON.stringify(name)})` },
  ];
  const copy = async (button, text, code) => {
    const label = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "copied";
    } catch {
      if (code) getSelection().selectAllChildren(code);
      button.textContent = code ? "selected" : "the browser does not allow to copy";
    }
    setTimeout(() => (button.textContent = label), 1500);
  };
  const buildSide = (number) => {
    const side = sides[number];
    const letter = LETTERS[number];
    const cuts = make("div");
    const words = make("b");
    const of = make("span");
    const removed = make("b");
    const rest = make("span");
    const meter = make("div");
    const which = make("button", { type: "button" });
    const lines = LINES.map(({ label, line }) => ({ label, line, code: make("code") }));
    const list = make("dl");
    for (const { label, code } of lines) {
      const button = make("button", { type: "button", "aria-label": `Copy ${label} of ${letter}` }, "copy");
      button.addEventListener("click", () => copy(button, code.textContent, code));
      list.append(make("dt", {}, label), make("dd", {}, code), make("dd", {}, button));
    }
    const add = make("button", { type: "button", className: "plain" }, "add a cut");
    add.addEventListener("click", () => {
      const names = available();
      const used = side.cuts.map(({ scorer }) => scorer);
      const unused = names.find((name) => !used.includes(name));
      side.cuts.push(newCut(unused ?? names[0]));
      recutAll(number);
    });
    const variants = make("select", { "aria-label": `A cleaner of the results for ${letter}` }, new Option("a cleaner of the results…", ""));
    variants.append(...data.variants.map((variant, index) => new Option(variant.name, index)));
    variants.hidden = !data.variants.length;
    variants.addEventListener("change", () => {
      if (variants.value === "") return;
      side.cuts = structuredClone(data.variants[variants.value].cuts);
      variants.value = "";
      fitCuts(number);
      recutAll(number);
    });
    const text = make("button", { type: "button", className: "plain" }, "copy kept text");
    text.addEventListener("click", () => copy(text, cutting.keptText(page, side.mask)));
    const name = make("button", { type: "button", className: "plain" }, "copy name");
    name.addEventListener("click", () => copy(name, side.name));
    which.addEventListener("click", () => showSide(number));
    side.elements = { cuts, words, of, removed, rest, meter, which, lines };
    part("which").append(which);
    const elsewhere = make("details", { className: "elsewhere" }, make("summary", {}, "name, shell, Python"), list);
    const counts = make("p", { className: "counts" }, words, of, removed, rest);
    const more = make("div", { className: "more" }, add, variants, name, text, elsewhere);
    const shown = { className: `side ${letter.toLowerCase()}`, id: `side-${letter.toLowerCase()}` };
    part("sides").append(make("fieldset", shown, make("legend", {}, letter), cuts, counts, make("div", { className: "meter" }, meter), more));
  };
  const showSide = (number) => {
    part("view").classList.toggle("shown-a", number === 0);
    part("view").classList.toggle("shown-b", number === 1);
    sides.forEach(({ elements }, index) => elements.which.setAttribute("aria-pressed", index === number));
    measureTop();
  };
  const available = () => data.scorers.map(({ name }) => name).filter((name) => name in page.scores);
  const newCut = (name) => ({ scorer: name, cutoff: scorers[name].start, quota: false, headings: scorers[name].headings, floor: 0 });
  const fitCuts = (number) => {
    const missing = sides[number].cuts.filter(({ scorer }) => !(scorer in page.scores)).map(({ scorer }) => scorer);
    if (!missing.length) return;
    say(`This page has no scores by ${missing.join(", ")}: ${LETTERS[number]} goes without.`);
    sides[number].cuts = sides[number].cuts.filter(({ scorer }) => scorer in page.scores);
  };
  const showCuts = (number) => {
    const side = sides[number];
    if (!side.cuts.length) {
      const first = make("select", { "aria-label": `Scorer of ${LETTERS[number]}` }, new Option("none: all text is kept", ""));
      first.append(...available().map((name) => new Option(name)));
      first.addEventListener("change", () => {
        side.cuts = [newCut(first.value)];
        recutAll(number);
      });
      side.elements.cuts.replaceChildren(make("div", { className: "cut" }, first));
    } else {
      side.elements.cuts.replaceChildren(...side.cuts.map((cut, index) => cutControls(number, cut, index)));
    }
    measureTop();
  };
  const cutControls = (number, cut, index) => {
    const side = sides[number];
    const scorer = scorers[cut.scorer];
    const label = `${LETTERS[number]}${side.cuts.length > 1 ? index + 1 : ""}`;
    const select = make("select", { "aria-label": `Scorer of ${label}`, title: scorer.about });
    select.append(...available().map((name) => new Option(name)));
    select.value = cut.scorer;
    const change = (values) => {
      Object.assign(cut, values);
      recutAll(number);
    };
    select.addEventListener("change", () => {
      Object.assign(cut, newCut(select.value));
      recutAll(number);
      side.elements.cuts.children[index].querySelector("select").focus();
    });
    const remove = make("button", { type: "button", className: "plain", "aria-label": `Remove the cut ${label}`, title: "Remove this cut" }, "×");
    remove.addEventListener("click", () => {
      side.cuts.splice(index, 1);
      recutAll(number);
    });
    const toggle = make("button", { type: "button", className: "plain", "aria-expanded": Boolean(cut.open), title: "Options of the cut", "aria-label": `Options of ${label}` }, "⋯");
    toggle.addEventListener("click", () => {
      cut.open = !cut.open;
      showCuts(number);
      side.elements.cuts.children[index].querySelector("[aria-expanded]").focus();
    });
    const cells = scorer.decides ? [make("span", { className: "decides" }, "decides by itself")] : cutoffControls(number, cut, label);
    const box = make("div", { className: "cut" }, select, ...cells, make("span", {}, toggle, remove));
    if (cut.open) box.append(cutOptions(cut, scorer, label, change));
    return box;
  };
  const cutoffControls = (number, cut, label) => {
    const scorer = scorers[cut.scorer];
    const steps = cut.quota ? Array.from({ length: 100 }, (_, index) => 100 - index) : cutting.steps(page, scorer);
    const lowerIsStricter = cut.quota || scorer.keep === "low";
    const isAsStrict = (step) => (lowerIsStricter ? step <= cut.cutoff : step >= cut.cutoff);
    const place = () => {
      const first = steps.findIndex(isAsStrict);
      return first < 0 ? steps.length - 1 : first;
    };
    const unit = cut.quota ? "% of the words" : scorer.unit;
    const slider = make("input", { type: "range", min: 0, max: Math.max(steps.length - 1, 0), step: 1, "aria-label": `Cutoff of ${label}`, className: "slider" });
    slider.disabled = !steps.length;
    slider.title = "From the cutoff that keeps most to the strictest: the kept text changes at every step";
    const box = make("input", { type: "text", inputMode: "decimal", "aria-label": `Cutoff of ${label} as a number`, title: unit, autocomplete: "off" });
    const show = () => {
      slider.value = place();
      slider.setAttribute("aria-valuetext", `${cutting.printed(cut.cutoff)} ${unit}`);
    };
    slider.addEventListener("input", () => {
      cut.cutoff = steps[slider.valueAsNumber];
      box.value = cutting.printed(cut.cutoff);
      box.setCustomValidity("");
      slider.setAttribute("aria-valuetext", `${box.value} ${unit}`);
      recut(number);
    });
    box.addEventListener("input", () => {
      const value = box.value.trim() === "" ? NaN : Number(box.value);
      const low = scorer.low ?? -Infinity;
      const high = scorer.high ?? Infinity;
      const fits = cut.quota ? value > 0 && value <= 100 : value >= low && value <= high;
      box.setCustomValidity(Number.isFinite(value) && fits ? "" : "out of range");
      if (box.validity.customError) return;
      cut.cutoff = value;
      show();
      recut(number);
    });
    box.value = cutting.printed(cut.cutoff);
    show();
    let sign = scorer.keep === "high" ? "≥" : "≤";
    if (cut.quota) sign = "best";
    return [make("span", { className: "value" }, sign, box), slider];
  };
  const cutOptions = (cut, scorer, label, change) => {
    const headings = make("select", { "aria-label": `Headings of ${label}` });
    headings.append(new Option("scored like any block", "score"), new Option("headline kept", "headline"), new Option("all kept", "keep"), new Option("dropped", "drop"));
    headings.value = cut.headings;
    headings.addEventListener("change", () => change({ headings: headings.value }));
    const floor = make("input", { type: "number", min: 0, step: 1, value: cut.floor, "aria-label": `Floor of ${label}` });
    floor.addEventListener("change", () => {
      if (Number.isSafeInteger(floor.valueAsNumber) && floor.valueAsNumber >= 0) change({ floor: floor.valueAsNumber });
    });
    const least = make("label", {}, "at least", floor, "words of a page");
    const options = make("div", { className: "options" }, make("label", {}, "headings", headings), least);
    if (!scorer.decides) {
      const kind = make("select", { "aria-label": `Kind of cutoff of ${label}` }, new Option(scorer.unit, ""), new Option("% of the page's words", "quota"));
      kind.value = cut.quota ? "quota" : "";
      kind.addEventListener("change", () => change({ quota: kind.value === "quota", cutoff: kind.value ? 50 : scorer.start }));
      options.append(make("label", {}, "cutoff in", kind));
    }
    return options;
  };

  // --- the page's text

  const rowElement = (row, number) => {
    const heading = page.heading[row.block] ? " heading" : "";
    const element = make("div", { className: `row${heading}${row.first ? "" : " piece"}`, role: "listitem", tabIndex: -1 });
    row.spans = sides.map(() => []);
    row.cells = sides.map((side, index) => {
      const cell = make("p", { "aria-label": `${LETTERS[index]}` });
      for (let sentence = row.begin; sentence < row.end; sentence++) {
        const text = page.sentences[sentence];
        const span = make("span", {}, shortened(text));
        row.spans[index].push(span);
        cell.append(span);
      }
      return cell;
    });
    element.append(...row.cells);
    if (part("inline").checked && row.first) element.append(inlineScores(row));
    element.addEventListener("click", () => { if (!String(getSelection())) goTo(number, false); });
    row.element = element;
    sides.forEach((_, index) => paint(row, index));
    showFold(row);
    return element;
  };
  const shortened = (text) => {
    if (text.length <= LONGEST) return text;
    return `${text.slice(0, LONGEST)} … (${whole(text.length - LONGEST)} more characters)`;
  };
  const paint = (row, number) => {
    const { mask } = sides[number];
    let kept = 0;
    row.spans[number].forEach((span, index) => {
      const stays = mask[row.begin + index];
      kept += stays;
      if (span.classList.contains("gone") === !stays) return;
      span.classList.toggle("gone", !stays);
      if (stays) span.removeAttribute("role");
      else span.setAttribute("role", "deletion");
    });
    row.cells[number].classList.toggle("all", !kept);
    row.kept = row.kept ?? [1, 1];
    row.kept[number] = kept;
    row.element.classList.toggle("none", !row.kept[0] && !row.kept[1]);
    row.element.classList.toggle("differs", differing(row));
  };
  const repaint = (chunk, number, old) => {
    const { mask } = sides[number];
    for (let index = chunk.begin; index < chunk.end; index++) {
      const row = rows[index];
      let changed = !old;
      for (let sentence = row.begin; sentence < row.end; sentence++) {
        if (old && old[sentence] !== mask[sentence]) changed = true;
      }
      if (changed) paint(row, number);
    }
  };
  const inlineScores = (row) => {
    const box = make("div", { className: "scores" });
    for (const name of available()) {
      const scorer = scorers[name];
      const values = scoresOf(scorer, row.block);
      const text = values.length > 3 ? range(values) : values.map(short).join(", ");
      box.append(make("span", {}, `${name} `, make("b", {}, text)));
    }
    return box;
  };
  const sentencesOf = (block) => [page.block.indexOf(block), page.block.lastIndexOf(block) + 1];
  const scoresOf = (scorer, block) => {
    if (scorer.segment === "block") return [page.scores[scorer.name][block]];
    const [begin, end] = sentencesOf(block);
    return [...page.scores[scorer.name].subarray(begin, end)];
  };

  const fill = (chunk) => {
    if (chunk.filled) return;
    chunk.filled = true;
    chunk.element.style.minHeight = "";
    chunk.element.append(...rows.slice(chunk.begin, chunk.end).map((row, index) => rowElement(row, chunk.begin + index)));
    if (selected >= chunk.begin && selected < chunk.end) rows[selected].element.classList.add("here");
  };
  const near = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const chunk = chunks[target.dataset.number];
        if (!chunk || chunk.element !== target) continue;
        if (isIntersecting) fill(chunk);
      }
    },
    { rootMargin: "1500px 0px" },
  );
  const showRows = () => {
    near.disconnect();
    rows = [];
    for (let index = 0; index < page.block.length; index++) {
      const last = rows[rows.length - 1];
      const sameBlock = index > 0 && page.block[index] === page.block[index - 1];
      if (last && sameBlock && index - last.begin < ROW) last.end = index + 1;
      else rows.push({ begin: index, end: index + 1, block: page.block[index], first: !sameBlock, fold: null });
    }
    chunks = [];
    for (let begin = 0; begin < rows.length; begin += CHUNK) {
      const end = Math.min(begin + CHUNK, rows.length);
      const element = make("div", { className: "chunk", role: "presentation" });
      element.dataset.number = chunks.length;
      element.style.minHeight = `${(end - begin) * 34}px`;
      chunks.push({ begin, end, element, filled: false });
    }
    selected = -1;
    part("about").hidden = true;
    part("panes").classList.remove("open");
    part("rows").replaceChildren(...chunks.map(({ element }) => element));
    if (!rows.length) part("rows").append(make("p", { className: "empty" }, "There is no text on this page."));
    sides.forEach((_, number) => {
      sides[number].mask = null;
      fitCuts(number);
    });
    sides.forEach((side) => (side.mask = cutting.mask(page, scorers, side.cuts)));
    sides.forEach((_, number) => showCuts(number));
    sides.forEach((_, number) => recut(number));
    part("rows").classList.toggle("whole", page.sentences.length <= WHOLE);
    if (page.sentences.length <= WHOLE) chunks.forEach(fill);
    chunks.forEach(({ element }) => near.observe(element));
  };

  // --- the page itself, in a frame where no script runs and nothing is loaded

  const frame = () => part("frame").firstChild;
  const inFrame = (selector) => [...(frame()?.contentDocument?.querySelectorAll(selector) ?? [])];
  const showOriginal = () => {
    const copy = frames[pageNumber].content.cloneNode(true).firstElementChild;
    part("itself").hidden = !copy;
    part("no-original").hidden = !page.originalProblem;
    part("no-original").textContent = `The page itself is not here: ${page.originalProblem}.`;
    const shown = Boolean(copy) && part("itself").firstElementChild.checked;
    part("panes").classList.toggle("two", shown);
    part("beside").hidden = !shown;
    part("frame").replaceChildren();
    if (!shown) return;
    copy.addEventListener("load", frameLoaded);
    part("frame").append(copy);
  };
  const frameLoaded = () => {
    dim();
    if (selected >= 0) pointAt(rows[selected].block);
    frame().contentDocument.addEventListener("click", ({ target }) => {
      const block = Number(target.closest("x-block")?.dataset.block ?? NaN);
      const number = rows.findIndex((row) => row.block === block);
      if (number < 0) return;
      goTo(number, false);
      rows[number].element.scrollIntoView({ block: "center" });
    });
  };
  const dim = () => {
    const kept = sides.map(({ mask }) => new Set(page.block.filter((_, index) => mask[index])));
    for (const text of inFrame("x-block")) {
      const block = Number(text.dataset.block);
      const keeping = LETTERS.filter((_, number) => kept[number].has(block));
      text.dataset.kept = keeping.join("");
    }
  };
  const pointAt = (block) => {
    inFrame("[data-here]").forEach((text) => text.removeAttribute("data-here"));
    const texts = inFrame(`x-block[data-block="${block}"]`);
    texts.forEach((text) => text.setAttribute("data-here", ""));
    // Not scrollIntoView, which would scroll this page too.
    const view = frame()?.contentWindow;
    if (texts.length) view.scrollBy(0, texts[0].getBoundingClientRect().top - view.innerHeight / 3);
  };
  part("itself").addEventListener("change", showOriginal);

  // --- one block

  const goTo = (number, focus = true) => {
    if (number < 0 || number >= rows.length) return;
    if (selected >= 0) rows[selected].element?.classList.remove("here");
    selected = number;
    fill(chunks[Math.floor(number / CHUNK)]);
    rows[number].open = true;
    fold();
    const { element, block } = rows[number];
    element.classList.add("here");
    pointAt(block);
    if (focus) element.focus({ preventScroll: true });
    showAbout();
    // Neither under the cleaners nor, on a narrow screen, under the scores: the style has the margins.
    element.scrollIntoView({ block: "nearest" });
  };
  const scoreRows = (scores, used, setters) =>
    available().map((name) => {
      const scorer = scorers[name];
      const values = scores(scorer);
      const head = make("th", { scope: "row", title: scorer.about }, name);
      let text = values.length > 1 ? range(values) : short(values[0]);
      if (scorer.decides) text = values[0] ? "keeps" : "drops";
      else head.append(make("small", {}, scorer.unit));
      const shown = make("td", { className: "number" }, text);
      const buttons = make("td", { className: "number" }, ...setters(scorer, values));
      return make("tr", { className: used.has(name) ? "used" : "" }, head, shown, buttons);
    });
  const showAbout = () => {
    const { block } = rows[selected];
    const [begin, end] = sentencesOf(block);
    let words = 0;
    for (let index = begin; index < end; index++) words += page.words[index];
    const used = new Set(sides.flatMap(({ cuts }) => cuts.map(({ scorer }) => scorer)));
    const setters = (scorer, values) =>
      sides.flatMap((side, number) => {
        const cut = side.cuts.find((candidate) => candidate.scorer === scorer.name && !candidate.quota);
        const value = scorer.keep === "high" ? Math.max(...values) : Math.min(...values);
        if (!cut || scorer.decides || !Number.isFinite(value)) return [];
        const letter = LETTERS[number];
        const button = make("button", { type: "button", className: "set", title: `Cut ${letter} just so that this block stays`, "aria-label": `Cut ${letter} at this score of ${scorer.name}` }, `${letter} here`);
        button.addEventListener("click", () => {
          cut.cutoff = Math.min(Math.max(cutting.shortest(value), scorer.low ?? -Infinity), scorer.high ?? Infinity);
          recutAll(number);
        });
        return [button];
      });
    part("about-title").textContent = `Block ${whole(block + 1)}`;
    let counts = `${whole(words)} words in ${whole(end - begin)} ${end - begin === 1 ? "sentence" : "sentences"}`;
    if (page.heading[block]) counts += ", a title or heading";
    const parts = [
      make("p", { className: "words" }, counts),
      make("table", {}, make("caption", { className: "hidden" }, "Scores of the block"), make("tbody", {}, ...scoreRows((scorer) => scoresOf(scorer, block), used, setters))),
    ];
    const bySentence = available().filter((name) => scorers[name].segment === "sentence");
    if (end - begin > 1 && bySentence.length) {
      const body = make("tbody");
      for (let index = begin; index < Math.min(end, begin + 50); index++) {
        const text = page.sentences[index].trim();
        const cells = bySentence.map((name) => make("td", { className: "number" }, short(page.scores[name][index])));
        body.append(make("tr", {}, make("th", { scope: "row" }, text.length > 60 ? `${text.slice(0, 60)}…` : text), ...cells));
      }
      const named = ["sentence", ...bySentence.map((name) => name.replace(/\(.*/, ""))].map((name) => make("th", { scope: "col" }, name));
      const caption = make("caption", { className: "hidden" }, "Scores of its sentences");
      parts.push(make("table", {}, caption, make("thead", {}, make("tr", {}, ...named)), body));
    }
    part("about-text").replaceChildren(...parts);
    part("about").hidden = false;
    part("panes").classList.add("open");
  };
  const nextDifference = (step) => {
    let start = selected;
    if (selected < 0) start = step > 0 ? -1 : rows.length;
    for (let count = 1; count <= rows.length; count++) {
      const number = (start + step * count + 2 * rows.length) % rows.length;
      if (differing(rows[number])) return goTo(number);
    }
    return undefined;
  };
  const find = (text) => {
    const wanted = text.toLowerCase();
    if (!wanted) return;
    const start = wanted === lastSearch ? selected : selected - 1;
    lastSearch = wanted;
    for (let count = 1; count <= rows.length; count++) {
      const number = (start + count + rows.length) % rows.length;
      const { begin, end } = rows[number];
      const sentences = page.sentences.slice(begin, end);
      if (sentences.some((sentence) => sentence.toLowerCase().includes(wanted))) {
        goTo(number, false);
        rows[number].element.scrollIntoView({ block: "center" });
        return;
      }
    }
    say(`“${text}” is not in the text.`);
  };

  // --- pages

  let pageNumber = 0;
  const load = (number) => {
    pageNumber = number;
    say("");
    page = cutting.decode(JSON.parse(pageScripts[number].textContent));
    page.total = total();
    part("view").hidden = false;
    showRows();
    showOriginal();
    measureTop();
    showTopics();
  };
  // The options of the list: pages whose id or title has a text.
  const filter = (text) => {
    const wanted = text.toLowerCase();
    const options = [];
    data.pages.forEach(({ id, title }, number) => {
      const label = title ? `${title} (${id})` : id;
      if (label.toLowerCase().includes(wanted)) options.push(new Option(label, number));
    });
    part("pick").replaceChildren(...options);
    part("pick").value = pageNumber;
    part("pages").textContent = wanted ? `${options.length} of ${whole(data.pages.length)} pages` : `${whole(data.pages.length)} pages`;
    for (const id of ["before", "after"]) part(id).disabled = options.length < 2;
  };
  const stepPage = (step) => {
    const pick = part("pick");
    pick.selectedIndex = (Math.max(pick.selectedIndex, step > 0 ? -1 : 0) + step + pick.length) % pick.length;
    load(Number(pick.value));
  };

  // Browsers limit how often a page may change its address, as a held key would.
  let remembering = 0;
  const remember = () => {
    clearTimeout(remembering);
    remembering = setTimeout(() => {
      const state = [page.id, ...sides.map(({ cuts }) => cuts)];
      history.replaceState(null, "", `#${encodeURIComponent(JSON.stringify(state))}`);
    }, 300);
  };
  // An address names the first page and its cuts.
  const named = () => {
    try {
      const text = decodeURIComponent(location.hash.slice(1));
      const [id, ...cuts] = text.startsWith("[") ? JSON.parse(text) : [text];
      if (cuts.every(Array.isArray) && cuts.flat().every(isSound)) {
        cuts.slice(0, 2).forEach((cutsOfSide, number) => (sides[number].cuts = cutsOfSide));
      }
      return id;
    } catch {
      return location.hash.slice(1);
    }
  };
  const isSound = ({ scorer, cutoff, headings, floor }) =>
    Object.hasOwn(scorers, scorer) && Number.isFinite(cutoff) && floor >= 0 && ["score", "headline", "keep", "drop"].includes(headings) && Number.isSafeInteger(floor);

  // --- ranks

  const rankOf = (topic, variant) => page.ranks[topic]?.[variant];
  const showTopics = () => {
    const topics = Object.keys(data.topics);
    part("ranks").hidden = !topics.length;
    const rank = (topic) => rankOf(topic, "none") ?? Number.MAX_SAFE_INTEGER;
    topics.sort((first, second) => rank(first) - rank(second));
    part("topic").replaceChildren(...topics.map((topic) => new Option(`${topic}: ${data.topics[topic]} (${uncleaned(topic)})`, topic)));
    showRanks();
  };
  const uncleaned = (topic) => {
    const rank = rankOf(topic, "none");
    return rank === undefined ? "not retrieved uncleaned" : `rank ${whole(rank)} uncleaned`;
  };
  const showRanks = () => {
    if (part("ranks").hidden || !part("topic").value) return;
    const lines = [rankRow("uncleaned", "none")];
    sides.forEach(({ name }, number) => lines.push(rankRow(`${LETTERS[number]}: ${name}`, name)));
    part("rank-rows").replaceChildren(...lines);
  };
  const rankRow = (label, variant) => {
    const rank = rankOf(part("topic").value, variant);
    let text = "not retrieved";
    if (!data.variants.some(({ name }) => name === variant)) text = "was not run: choose a cleaner of the results";
    if (rank !== undefined) text = whole(rank);
    return make("tr", {}, make("th", { scope: "row" }, label), make("td", { className: rank === undefined ? "" : "number" }, text));
  };

  // --- controls and keys of the whole page

  const measureTop = () => {
    const stuck = getComputedStyle(part("sides")).position === "sticky" ? part("sides").offsetHeight : 0;
    document.documentElement.style.setProperty("--stuck", `${stuck}px`);
  };
  addEventListener("resize", measureTop);
  new ResizeObserver(measureTop).observe(part("sides"));
  sides.forEach((_, number) => buildSide(number));
  showSide(0);
  part("pick").addEventListener("change", () => load(Number(part("pick").value)));
  part("before").addEventListener("click", () => stepPage(-1));
  part("after").addEventListener("click", () => stepPage(1));
  part("filter").addEventListener("input", () => filter(part("filter").value));
  part("filter").addEventListener("keydown", (event) => {
    const first = part("pick").options[0];
    if (event.key === "Enter" && first) {
      part("pick").value = first.value;
      load(Number(first.value));
    }
  });
  part("topic").addEventListener("change", showRanks);
  part("difference").addEventListener("click", () => nextDifference(1));
  part("find").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && page) find(part("find").value);
  });
  part("gone").addEventListener("change", () => document.body.classList.toggle("kept", part("gone").checked));
  part("inline").addEventListener("change", () => {
    for (const chunk of chunks) {
      if (!chunk.filled) continue;
      chunk.filled = false;
      chunk.element.replaceChildren();
      fill(chunk);
    }
  });
  part("close").addEventListener("click", () => {
    part("about").hidden = true;
    part("panes").classList.remove("open");
    rows[selected]?.element?.classList.remove("here");
    pointAt(-1);
    selected = -1;
  });
  part("keys").addEventListener("click", () => part("help").showModal());
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || part("help").open || !page) return;
    if (event.target.matches("input:not([type=range], [type=checkbox]), textarea, select")) return;
    const slider = (number) => {
      showSide(number);
      sides[number].elements.cuts.querySelector(".slider")?.focus();
    };
    const keys = {
      j: () => goTo(selected < 0 ? 0 : selected + 1),
      k: () => goTo(selected - 1),
      n: () => nextDifference(1),
      p: () => nextDifference(-1),
      a: () => slider(0),
      b: () => slider(1),
      h: () => part("gone").click(),
      o: () => part("itself").click(),
      "/": () => part("find").focus(),
      "?": () => part("help").showModal(),
      Escape: () => part("close").click(),
    };
    if (!(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });
  part("picking").hidden = data.pages.length < 2;
  addEventListener("hashchange", () => location.reload());
  const firstId = named();
  pageNumber = Math.max(0, data.pages.findIndex(({ id }) => id === firstId));
  filter("");
  load(pageNumber);
}
