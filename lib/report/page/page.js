// SPDX-License-Identifier: BSD-3-Clause
// The page around the charts: tables that sort and copy, and the theme.
"use strict";

// A number as the report writes it, for sorting: "27.83 Mfps" is 27.83e6. NaN for words.
function valueOf(text) {
  const scale = {k: 1e3, M: 1e6, G: 1e9, T: 1e12, ns: 1e-9, us: 1e-6, ms: 1e-3, KiB: 1024, MiB: 1048576};
  const found = /^\s*([+-]?[\d,]*\.?\d+(?:e[+-]?\d+)?)\s*(KiB|MiB|ns|us|ms|[kMGT])?/i.exec(text);
  return found ? parseFloat(found[1].replaceAll(",", "")) * (scale[found[2]] || 1) : NaN;
}

function compare(a, b) {
  const x = valueOf(a);
  const y = valueOf(b);
  if (Number.isNaN(x) || Number.isNaN(y)) {
    return Number.isNaN(x) === Number.isNaN(y) ? a.localeCompare(b) : Number.isNaN(x) ? 1 : -1;
  }
  return x - y;
}

function sortBy(table, column, head) {
  const descending = head.getAttribute("aria-sort") === "ascending";
  for (const other of table.querySelectorAll("thead th")) {
    other.removeAttribute("aria-sort");
  }
  head.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  rows.sort((a, b) => compare(a.cells[column].textContent, b.cells[column].textContent));
  body.append(...(descending ? rows.reverse() : rows));
}

// RFC 4180.
function csvOf(table) {
  const field = (cell) => {
    const text = cell.textContent;
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [...table.rows].map((row) => [...row.cells].map(field).join(",") + "\r\n").join("");
}

async function copy(button, text) {
  const said = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages opened from disk may not write the clipboard; a selection can be copied everywhere.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  button.dataset.csv = text;
  button.textContent = "copied";
  setTimeout(() => { button.textContent = said; }, 1500);
}

function equip(table) {
  [...table.querySelectorAll("thead th")].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortBy(table, column, head));
    head.append(button);
  });
  const tools = document.createElement("div");
  tools.className = "tools";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "copy as CSV";
  button.addEventListener("click", () => copy(button, csvOf(table)));
  tools.append(button);
  table.parentElement.before(tools);
}

function isDark() {
  const said = document.documentElement.dataset.theme;
  return said ? said === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

document.querySelectorAll("table.data").forEach(equip);
const charts = drawCharts(JSON.parse(document.getElementById("charts").textContent), equip);
document.getElementById("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  charts.forEach((chart) => chart.repaint());
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach((chart) => chart.repaint()));
document.documentElement.dataset.drawn = String(Math.round(performance.now()));
