// SPDX-License-Identifier: BSD-3-Clause
// Draws the charts of a report with uPlot. A series has its colour, its shape and its dash, so that
// none of them is needed alone; each point can be read in words, and all of them as a table.
"use strict";

const SHAPES = ["circle", "square", "triangle", "diamond", "cross", "bar"];

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// Six colours and six shapes, so that thirty-six series differ.
function colourOf(series, i) {
  return colour(series.name === "mean, interval" ? "--ink" : `--s${i % 6}`);
}

function shapeOf(i) {
  return SHAPES[(i + Math.floor(i / SHAPES.length)) % SHAPES.length];
}

// A shape about the origin of `c`, a canvas context or anything that draws as one.
function shape(c, kind, x, y, r) {
  c.beginPath();
  if (kind === "circle") {
    c.arc(x, y, r, 0, 2 * Math.PI);
  } else if (kind === "square") {
    c.rect(x - r, y - r, 2 * r, 2 * r);
  } else if (kind === "triangle") {
    c.moveTo(x, y - r * 1.2);
    c.lineTo(x + r * 1.2, y + r);
    c.lineTo(x - r * 1.2, y + r);
    c.closePath();
  } else if (kind === "diamond") {
    c.moveTo(x, y - r * 1.4);
    c.lineTo(x + r * 1.4, y);
    c.lineTo(x, y + r * 1.4);
    c.lineTo(x - r * 1.4, y);
    c.closePath();
  } else if (kind === "cross") {
    c.moveTo(x - r, y - r);
    c.lineTo(x + r, y + r);
    c.moveTo(x + r, y - r);
    c.lineTo(x - r, y + r);
  } else {
    c.moveTo(x, y - r * 1.3);
    c.lineTo(x, y + r * 1.3);
  }
  c.fill();
  c.stroke();
}

function format(value) {
  if (value === null || value === undefined) {
    return "-";
  }
  const size = Math.abs(value);
  for (const [unit, name] of [[1e12, " T"], [1e9, " G"], [1e6, " M"], [1e4, " k"]]) {
    if (size >= unit) {
      const factor = name === " k" ? 1e3 : unit;
      return parseFloat((value / factor).toPrecision(4)) + name;
    }
  }
  return String(parseFloat(value.toPrecision(4)));
}

// What a place on x is called.
function placeOf(spec, x) {
  const tick = spec.x.ticks.find(([at]) => Math.abs(at - x) < 0.5 && (at === x || !spec.x.log));
  return tick ? tick[1] : format(x);
}

// One array of x for all series, as uPlot wants it; a series has null where it has no point.
function align(series) {
  const places = [...new Set(series.flatMap((one) => one.points.map((point) => point[0])))].sort((a, b) => a - b);
  const index = new Map(places.map((x, i) => [x, i]));
  const columns = series.map((one) => {
    const column = new Array(places.length).fill(null);
    one.points.forEach((point) => { column[index.get(point[0])] = point[1]; });
    return column;
  });
  return [places, ...columns];
}

// The next 1, 2 or 5 times a power of ten, below or above.
function round(value, up) {
  const power = 10 ** Math.floor(Math.log10(value));
  const steps = [1, 2, 5, 10].map((step) => step * power);
  return up ? steps.find((step) => step >= value * 0.999) : steps.reverse().find((step) => step <= value * 1.001);
}

function rangeOf(spec, low, high) {
  if (spec.log && spec.ticks.length) {
    return [low / 1.3, high * 1.3];
  }
  if (spec.log) {
    return [round(low / 1.05, false), round(high * 1.05, true)];
  }
  const room = spec.ticks.length ? 0.6 : (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
  return [low - room, high + room];
}

function extent(spec) {
  let low = Infinity;
  let high = -Infinity;
  for (const one of spec.series) {
    for (const [, y, from, to] of one.points) {
      low = Math.min(low, y, from ?? y);
      high = Math.max(high, y, to ?? y);
    }
  }
  return [low, high];
}

// Of a log axis, 1, 2 and 5 in each decade.
function decades(_, splits) {
  return splits.map((v) => (v !== null && /^[125](\.0*)?e/.test(v.toExponential(3)) ? format(v) : ""));
}

// Long names of places stand aslant only where they would run into each other.
function axes(spec, width, logY) {
  const names = spec.x.ticks;
  const longest = Math.max(0, ...names.map(([, text]) => text.length));
  const aslant = names.length * longest * 7 > width - 80;
  const base = {stroke: () => colour("--soft"), font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif"};
  const grid = {stroke: () => colour("--line"), width: 1};
  const x = {...base, grid: {...grid, show: names.length === 0}, ticks: grid, label: spec.x.label || undefined, labelSize: 18};
  if (names.length) {
    const every = Math.ceil(names.length / Math.max(1, Math.floor((width - 80) / (aslant ? 22 : longest * 7 + 10))));
    const shown = names.filter((_, i) => i % every === 0);
    x.splits = () => shown.map(([at]) => at);
    x.filter = (_, splits) => splits;
    x.values = (u) => {
      let free = -Infinity;
      return shown.map(([at, text]) => {
        const middle = u.valToPos(at, "x");
        const half = aslant ? 6 : text.length * 3.5 + 3;
        if (middle - half < free) {
          return "";  // it would run into the one before
        }
        free = middle + half;
        return text.length > 26 ? text.slice(0, 25) + "…" : text;
      });
    };
    x.rotate = aslant ? -60 : 0;
    x.size = aslant ? 24 + Math.min(longest, 26) * 5.4 : 32;
  } else {
    x.values = spec.x.log ? decades : (_, splits) => splits.map(format);
  }
  const y = {...base, grid, ticks: grid, label: spec.y.label, labelSize: 18, size: 62, values: logY ? decades : (_, splits) => splits.map(format)};
  return [x, y];
}

class Chart {
  constructor(figure, spec) {
    this.figure = figure;
    this.spec = spec;
    this.plot = figure.querySelector(".plot");
    this.at = new Map(spec.series.map((one) => [one, new Map(one.points.map((point) => [point[0], point]))]));
    this.addLegend();
    this.readout = document.createElement("div");
    this.readout.className = "readout";
    this.readout.setAttribute("aria-live", "off");
    this.plot.after(this.readout);
    this.make();
    new ResizeObserver(() => this.resize()).observe(figure);
  }

  make() {
    const {spec} = this;
    this.width = this.plot.clientWidth;
    const [low, high] = extent(spec);
    const data = align(spec.series);
    const logY = spec.y.log && low > 0;
    const slant = spec.x.ticks.some(([, text]) => text.length > 8);
    const options = {
      width: this.width,
      height: slant ? 340 : 290,
      padding: [8, slant ? 56 : 16, 0, 0],
      legend: {show: false},
      cursor: {points: {show: false}, drag: {x: true, y: false}},
      scales: {
        x: {time: false, distr: spec.x.log ? 3 : 1, range: (_, from, to) => (from === null ? [0, 1] : rangeOf(spec.x, from, to))},
        y: {distr: logY ? 3 : 1, range: () => rangeOf({log: logY, ticks: []}, low, high)},
      },
      axes: axes(spec, this.width, logY),
      series: [{}, ...spec.series.map((one, i) => ({
        label: one.name,
        stroke: () => colourOf(one, i),
        width: one.line ? 2 : 0,
        dash: one.dashed ? [6, 4] : [],
        spanGaps: true,
        paths: one.line ? undefined : () => null,
        points: {show: false},
      }))],
      hooks: {drawAxes: [(u) => this.drawBack(u)], draw: [(u) => this.drawPoints(u)], setCursor: [(u) => this.read(u)]},
    };
    this.u = new uPlot(options, data, this.plot);
  }

  // The margin, and marked places.
  drawBack(u) {
    const {ctx, bbox} = u;
    ctx.save();
    if (this.spec.band) {
      const top = Math.max(u.valToPos(this.spec.band, "y", true), bbox.top);
      const bottom = Math.min(u.valToPos(-this.spec.band, "y", true), bbox.top + bbox.height);
      ctx.fillStyle = colour("--mark");
      ctx.fillRect(bbox.left, top, bbox.width, Math.max(2, bottom - top));
    }
    ctx.strokeStyle = ctx.fillStyle = colour("--soft");
    ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
    ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
    for (const [at, text] of this.spec.marks) {
      const right = u.valToPos(at, "x", true) > bbox.left + bbox.width * 0.6;
      ctx.textAlign = right ? "right" : "left";
      const x = u.valToPos(at, "x", true);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.fillText(text, x + (right ? -4 : 4) * devicePixelRatio, bbox.top + bbox.height - 8 * devicePixelRatio);
    }
    ctx.restore();
  }

  drawPoints(u) {
    const {ctx} = u;
    const scale = devicePixelRatio;
    ctx.save();
    ctx.setLineDash([]);
    this.spec.series.forEach((one, i) => {
      if (one.dashed && one.points.length > 40) {
        return;  // a curve
      }
      ctx.strokeStyle = ctx.fillStyle = colourOf(one, i);
      ctx.lineWidth = 1.5 * scale;
      for (const [x, y, low, high] of one.points) {
        const at = u.valToPos(x, "x", true);
        if (low !== undefined && low !== null) {
          const from = u.valToPos(low, "y", true);
          const to = u.valToPos(high, "y", true);
          ctx.beginPath();
          for (const end of [from, to]) {
            ctx.moveTo(at - 5 * scale, end);
            ctx.lineTo(at + 5 * scale, end);
          }
          ctx.moveTo(at, from);
          ctx.lineTo(at, to);
          ctx.stroke();
        }
        shape(ctx, shapeOf(i), at, u.valToPos(y, "y", true), (one.points.length > 60 ? 2.5 : 4) * scale);
      }
    });
    ctx.restore();
  }

  // What is under the cursor, in words.
  read(u) {
    const {idx} = u.cursor;
    if (idx === null || idx === undefined) {
      this.readout.textContent = "";
      return;
    }
    const x = u.data[0][idx];
    const parts = [];
    for (const [one, points] of this.at) {
      const point = points.get(x);
      if (point) {
        const interval = point[2] === undefined || point[2] === null ? "" : ` [${format(point[2])}, ${format(point[3])}]`;
        parts.push(`${one.name} ${format(point[1])}${interval}${point[4] ? ` (${point[4]})` : ""}`);
      }
    }
    this.readout.textContent = `${placeOf(this.spec, x)}: ${parts.join("; ")}`;
  }

  addLegend() {
    const list = document.createElement("ul");
    list.className = "legend";
    this.spec.series.forEach((one, i) => {
      const item = document.createElement("li");
      const canvas = document.createElement("canvas");
      canvas.width = 28 * devicePixelRatio;
      canvas.height = 14 * devicePixelRatio;
      canvas.style.cssText = "width:28px;height:14px;vertical-align:-2px;margin-right:4px";
      canvas.setAttribute("aria-hidden", "true");
      canvas.paint = () => {
        const c = canvas.getContext("2d");
        c.clearRect(0, 0, canvas.width, canvas.height);
        c.strokeStyle = c.fillStyle = colourOf(one, i);
        c.lineWidth = 1.5 * devicePixelRatio;
        const middle = canvas.height / 2;
        if (one.line) {
          c.setLineDash(one.dashed ? [5 * devicePixelRatio, 3 * devicePixelRatio] : []);
          c.beginPath();
          c.moveTo(0, middle);
          c.lineTo(canvas.width, middle);
          c.stroke();
          c.setLineDash([]);
        }
        if (!(one.dashed && one.points.length > 40)) {
          shape(c, shapeOf(i), canvas.width / 2, middle, 4 * devicePixelRatio);
        }
      };
      canvas.paint();
      item.append(canvas, one.name);
      list.append(item);
    });
    this.plot.before(list);
  }

  resize() {
    if (this.plot.clientWidth !== this.width && this.plot.clientWidth > 0) {
      this.u.destroy();
      this.make();
    }
  }

  repaint() {
    this.figure.querySelectorAll(".legend canvas").forEach((canvas) => canvas.paint());
    this.u.redraw(false, true);
  }
}

// The chart's numbers, for who cannot see it, made when they are asked for.
function addNumbers(figure, spec, equip) {
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = "Numbers";
  details.append(summary);
  details.addEventListener("toggle", () => {
    if (details.querySelector("table")) {
      return;
    }
    const table = document.createElement("table");
    table.className = "data";
    const add = (row, tag, texts) => texts.forEach((text) => {
      row.append(Object.assign(document.createElement(tag), {textContent: text}));
    });
    add(table.createTHead().insertRow(), "th", [spec.x.label || "place", "series", spec.y.label, "low", "high", "note"]);
    const body = table.createTBody();
    for (const one of spec.series) {
      for (const [x, y, low, high, text] of one.points) {
        add(body.insertRow(), "td", [placeOf(spec, x), one.name, format(y), format(low), format(high), text || ""]);
      }
    }
    const box = document.createElement("div");
    box.className = "scroll";
    box.append(table);
    details.append(box);
    equip(table);
  });
  figure.append(details);
}

// Draws what comes into view; returns the charts drawn so far, which grow.
function drawCharts(specs, equip) {
  const drawn = [];
  const figures = [...document.querySelectorAll("figure.chart")];
  figures.forEach((figure) => {
    const spec = specs[Number(figure.dataset.chart)];
    spec.series.forEach((one) => one.points.sort((a, b) => a[0] - b[0]));
    addNumbers(figure, spec, equip);
    if (typeof uPlot === "function") {
      drawn.push(new Chart(figure, spec));
    }
  });
  return drawn;
}
