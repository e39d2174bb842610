// Tables: sorted by a click on a header, filtered, with more or fewer columns, copied as Markdown or LaTeX as they are shown.
const sortable = (header) => {
  const button = element("button", { type: "button" }, ...header.childNodes);
  header.append(button);
  button.addEventListener("click", () => {
    const table = header.closest("table");
    const column = header.cellIndex;
    const down = header.getAttribute("aria-sort") !== "descending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = (row) => row.cells[column].dataset.value;
    const text = (row) => row.cells[column].textContent.trim();
    const rows = Array.from(table.tBodies[0].rows);
    const numbers = rows.some((row) => key(row) !== undefined);
    rows.sort((a, b) => {
      if (!numbers) return (down ? 1 : -1) * text(a).localeCompare(text(b), "en", { numeric: true });
      if (key(a) === undefined || key(b) === undefined) return (key(a) === undefined) - (key(b) === undefined);
      return (down ? -1 : 1) * (key(a) - key(b));
    });
    for (const row of rows) row.classList.remove("rule");
    table.tBodies[0].append(...rows);
  });
};
const FEW = 8; // Columns at first, and rows that need no filter.
const MARKUP = {
  Markdown: {
    cell: (text) => text.replace(/[\\`*_[\]|~<>&]/g, "\\$&"),
    whole: ([head, ...rows], right) => [head, right.map((number) => (number ? "---:" : "---")), ...rows]
      .map((cells) => `| ${cells.join(" | ")} |`).join("\n"),
  },
  LaTeX: {
    cell: (text) => {
      const signs = {
        "\\": "\\textbackslash{}", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}", "−": "$-$", "†": "$\\dagger$", "–": "--",
        "|": "\\textbar{}", "<": "\\textless{}", ">": "\\textgreater{}", "₂": "\\textsubscript{2}",
      };
      return text.replace(/[\\{}$&#%_^~−†–|<>₂]/g, (sign) => signs[sign] ?? `\\${sign}`);
    },
    whole: ([head, ...rows], right) => [
      "% needs \\usepackage{booktabs}", `\\begin{tabular}{${right.map((number) => (number ? "r" : "l")).join("")}}`, "\\toprule",
      `${head.join(" & ")} \\\\`, "\\midrule", ...rows.map((cells) => `${cells.join(" & ")} \\\\`), "\\bottomrule", "\\end{tabular}",
    ].join("\n"),
  },
};
const titled = (head) => {
  const unit = head.querySelector("small")?.textContent ?? "";
  const title = head.textContent.slice(0, head.textContent.length - unit.length).replace(/\s+/g, " ").trim();
  return unit ? `${title} (${unit})` : title;
};
const shownAs = (table, name) => {
  const { cell, whole } = MARKUP[name];
  const heads = Array.from(table.tHead.rows[0].cells).filter((head) => !head.hidden);
  const rows = Array.from(table.tBodies[0].rows).filter((row) => !row.hidden);
  const text = (part) => cell(part.textContent.replace(/\s+/g, " ").trim());
  const titles = heads.map((head) => cell(titled(head)));
  const lines = rows.map((row) => heads.map((head) => text(row.cells[head.cellIndex])));
  return `${whole([titles, ...lines], heads.map((head) => !head.classList.contains("left") && head.cellIndex > 0))}\n`;
};
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach(sortable);
  const tools = element("div", { className: "tools" });
  const rows = () => Array.from(table.tBodies[0].rows);
  if (rows().length > FEW || table.classList.contains("filled")) {
    const filter = element("input", { type: "search", placeholder: "filter rows" });
    filter.setAttribute("aria-label", "Filter rows");
    filter.addEventListener("input", () => {
      for (const row of rows()) row.hidden = !row.textContent.toLowerCase().includes(filter.value.toLowerCase());
    });
    tools.append(filter);
  }
  const show = (column, visible) => { for (const row of table.rows) row.cells[column].hidden = !visible; };
  if (heads.length > FEW) {
    const boxes = heads.map((head, column) => {
      const box = element("input", { type: "checkbox", checked: column < FEW, disabled: column === 0 });
      box.addEventListener("change", () => show(column, box.checked));
      show(column, box.checked);
      return element("label", {}, box, titled(head));
    });
    tools.append(element("details", { className: "columns" },
      element("summary", { textContent: `${heads.length} columns` }), element("div", {}, ...boxes)));
  }
  for (const name of Object.keys(MARKUP)) {
    const button = element("button", { type: "button", textContent: `copy ${name}` });
    button.addEventListener("click", async () => {
      const text = shownAs(table, name);
      table.dataset.copied = text;
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "copied";
        setTimeout(() => (button.textContent = `copy ${name}`), 1500);
      } catch {
        // Without access to the clipboard the text is shown, selected, to be copied by hand.
        const area = element("textarea", { value: text, readOnly: true, rows: 8 });
        tools.after(area);
        area.select();
        area.addEventListener("blur", () => area.remove());
      }
    });
    tools.append(button);
  }
  table.closest(".scroll").before(tools);
}
