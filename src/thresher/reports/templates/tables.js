// Tables are sorted by a click on a header, filtered, and shown with more or fewer columns.
const FEW = 8; // Rows that need no filter.
const COLUMNS = matchMedia("(max-width: 30rem)").matches ? 4 : 8; // Columns at first.
const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  Object.assign(made, attributes);
  made.append(...children);
  return made;
};
const rowsOf = (table) => Array.from(table.tBodies[0].rows);

const sortBy = (table, header) => {
  const column = header.cellIndex;
  const down = header.getAttribute("aria-sort") !== "descending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", down ? "descending" : "ascending");
  const value = (row) => row.cells[column].dataset.value;
  const text = (row) => row.cells[column].textContent.trim();
  const rows = rowsOf(table);
  const hasNumbers = rows.some((row) => value(row) !== undefined);
  const compareTexts = (a, b) => text(a).localeCompare(text(b), "en", { numeric: true });
  const compareNumbers = (a, b) => value(a) - value(b);
  rows.sort((a, b) => {
    const missing = hasNumbers && (value(a) === undefined) - (value(b) === undefined);
    if (missing || (hasNumbers && value(a) === undefined)) return missing;
    if (hasNumbers) return down ? compareNumbers(b, a) : compareNumbers(a, b);
    return down ? compareTexts(a, b) : compareTexts(b, a);
  });
  for (const row of rows) row.classList.remove("rule");
  table.tBodies[0].append(...rows);
};

const addSorting = (table) => {
  for (const header of table.tHead.rows[0].cells) {
    const button = element("button", { type: "button" }, ...header.childNodes);
    button.addEventListener("click", () => sortBy(table, header));
    header.append(button);
  }
};

const filterOf = (table) => {
  const filter = element("input", { type: "search", placeholder: "filter rows", ariaLabel: "Filter rows" });
  filter.addEventListener("input", () => {
    const wanted = filter.value.toLowerCase();
    for (const row of rowsOf(table)) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
  return filter;
};

const chooserOf = (table) => {
  const show = (column, visible) => {
    for (const row of table.rows) row.cells[column].hidden = !visible;
  };
  const labels = Array.from(table.tHead.rows[0].cells, (head, column) => {
    const box = element("input", { type: "checkbox", checked: column < COLUMNS, disabled: column === 0 });
    box.addEventListener("change", () => show(column, box.checked));
    show(column, box.checked);
    const unit = head.querySelector("small")?.textContent ?? "";
    const title = head.textContent.trim().slice(0, head.textContent.trim().length - unit.length);
    return element("label", {}, box, unit ? `${title} (${unit})` : title);
  });
  const summary = element("summary", { textContent: `Choose among ${labels.length} columns` });
  return element("details", { className: "columns" }, summary, element("div", {}, ...labels));
};

for (const table of document.querySelectorAll("table.sortable")) {
  const tools = element("div", { className: "tools" });
  if (rowsOf(table).length > FEW) tools.append(filterOf(table));
  if (table.tHead.rows[0].cells.length > COLUMNS) tools.append(chooserOf(table));
  addSorting(table);
  table.closest(".scroll").before(tools);
}

// A mark of a chart says what it is, to pointers too.
for (const mark of document.querySelectorAll("figure path[aria-label]")) {
  const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
  title.textContent = mark.getAttribute("aria-label");
  mark.append(title);
}

addEventListener("beforeprint", () => {
  for (const section of document.querySelectorAll("details.answer")) section.open = true;
});
document.documentElement.dataset.ready = "";
