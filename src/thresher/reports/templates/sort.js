for (const header of document.querySelectorAll("table.sortable thead th")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...header.childNodes);
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
}
