// The page's figures and the chart library are packed: a report of thousands of variants stays small.
const unpacked = async (id) => {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
};
const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
};
const fixed = (value, digits) => {
  if (value === null || value === undefined) return "–";
  const text = Math.abs(value).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return value < 0 && /[1-9]/.test(text) ? `−${text}` : text;
};
const signed = (value, digits = 4) => {
  const text = fixed(value, digits);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
};
const amount = (value, units) => {
  const [name, size] = units.find(([, size]) => Math.abs(value) >= 2 * size) ?? units[units.length - 1];
  const text = Math.abs(value / size).toLocaleString("en", { maximumSignificantDigits: 3 });
  return `${value < 0 ? "−" : ""}${text} ${name}`;
};
const seconds = (value) => amount(value, [["h", 3600], ["min", 60], ["s", 1]]);
const less = (value, base) => (value === null || value === undefined || base === null ? null : value - base);
