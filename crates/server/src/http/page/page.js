// The live page: reads /metrics and /sessions once a second, keeps ten minutes, draws.
"use strict";

const EVERY_MS = 1000;
const HISTORY_S = 600;
const LINES_MAX = 8;
const ROWS_MAX = 8;
// Whoever wants less motion sees the charts move every five seconds.
const CALM_MS = 5000;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// Numbers as they are told: a rate is the difference of two readings by the server's own time between them. A counter that is less than
// it was has been cleared meanwhile.
const rate = (name, factor = 1) => (now, before, labels) => {
  const [a, b] = [before.value(name, labels) ?? 0, now.value(name, labels)];
  return b === undefined || b < a ? null : (b - a) * factor / (now.at - before.at);
};
const level = (name, factor = 1) => (now, _, labels) => {
  const value = now.value(name, labels);
  return value === undefined ? null : value * factor;
};
// Lines that are named in advance, or one for each value of a label; `most`: only those that are not 0 all the time.
const lines = (...list) => () => list.map(([name, value]) => ({ name, value: (now, before) => value(now, before, {}) }));
const each = (family, label, value, name = (labels) => labels[label]) => (reading) =>
  reading.all(family).map(({ labels }) => ({ name: name(labels), value: (now, before) => value(now, before, labels) }));

const busy = (now, before, { cpu }) => {
  const idle = rate("heddle_cpu_seconds_total", 100)(now, before, { cpu, mode: "idle" });
  return idle === null ? null : Math.max(0, 100 - idle);
};
const cpus = (reading) => reading.all("heddle_cpu_seconds_total").filter(({ labels }) => labels.mode === "idle")
  .map(({ labels }) => ({ name: `CPU ${labels.cpu}`, value: (now, before) => busy(now, before, labels) }));
// 1048576 and above: the administrator's, which serves this page.
const scheduler = (labels) => Number(labels.scheduler) < 1048576 ? `Scheduler ${labels.scheduler}` : "Administrator's";

const CHARTS = [
  { title: "Requests", unit: "a second", lines: lines(
    ["Batch requests", rate("heddle_sql_statistics_batch_requests_total")],
    ["Transactions", rate("heddle_databases_transactions_total")],
    ["Compilations", rate("heddle_sql_statistics_sql_compilations_total")]) },
  { title: "Logical CPUs", unit: "% used, by all programs", top: 100, lines: cpus },
  { title: "Schedulers", unit: "% of a CPU", top: 100, lines: each("heddle_scheduler_cpu_seconds_total", "scheduler", rate("heddle_scheduler_cpu_seconds_total", 100), scheduler) },
  { title: "Runnable tasks", unit: "tasks that wait for a turn", lines: each("heddle_scheduler_runnable_tasks", "scheduler", level("heddle_scheduler_runnable_tasks"), scheduler) },
  { title: "Waits", unit: "ms a second", most: true, lines: each("heddle_wait_seconds_total", "wait_type", rate("heddle_wait_seconds_total", 1000)) },
  { title: "Spinlocks", unit: "collisions a second", most: true, lines: each("heddle_spinlock_collisions_total", "spinlock", rate("heddle_spinlock_collisions_total")) },
  { title: "Latches", unit: "ms waited a second", most: true, lines: each("heddle_latch_wait_seconds_total", "class", rate("heddle_latch_wait_seconds_total", 1000)) },
  { title: "Memory", unit: "MB, by clerk", lines: each("heddle_memory_clerk_bytes", "clerk", level("heddle_memory_clerk_bytes", 1 / 1048576), ({ clerk }) => clerk.replace(/^MEMORYCLERK_|^CACHESTORE_/, "")) },
  { title: "Log", unit: "KB a second", lines: lines(["Written", rate("heddle_databases_log_bytes_flushed_total", 1 / 1024)]) },
  { title: "Log flushes", unit: "a second", lines: lines(["Flushes", rate("heddle_databases_log_flushes_total")], ["Waits for one", rate("heddle_databases_log_flush_waits_total")]) },
  { title: "Sessions", unit: "connections", lines: lines(["User connections", level("heddle_general_statistics_user_connections")]) },
];

// One reading of /metrics: samples by family, values by family and labels.
class Reading {
  constructor(text) {
    this.families = new Map();
    this.values = new Map();
    for (const line of text.split("\n")) {
      const found = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line);
      if (!found) continue;
      const labels = {};
      for (const [, label, value] of (found[2] ?? "").matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)) {
        labels[label] = value.replace(/\\(.)/g, (_, c) => c === "n" ? "\n" : c);
      }
      const value = Number(found[3]);
      if (!this.families.has(found[1])) this.families.set(found[1], []);
      this.families.get(found[1]).push({ labels, value });
      this.values.set(Reading.key(found[1], labels), value);
    }
    this.at = this.value("heddle_uptime_seconds", {});
  }
  static key(name, labels) {
    return name + Object.keys(labels).sort().map((label) => `\n${label}\n${labels[label]}`).join("");
  }
  all(name) { return this.families.get(name) ?? []; }
  value(name, labels) { return this.values.get(Reading.key(name, labels)); }
}

const $ = (id) => document.getElementById(id);
const make = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
};
const svg = (name, attributes = {}, text) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
};
const shown = (value) => {
  if (value === null || value === undefined) return "–";
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
};

// The top of an axis: 1, 2 or 5 times a power of ten, in so many equal parts.
function scale(top) {
  const power = 10 ** Math.floor(Math.log10(Math.max(top, 1e-9)));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= top) * power;
  return { top: step, parts: step / power === 2 ? 4 : 5 };
}

class Chart {
  constructor(definition) {
    this.definition = definition;
    this.series = new Map();
    // Names of the lines that are drawn; the place of each is its colour.
    this.drawn = [];
    this.drawing = svg("svg", { role: "img" });
    this.legend = make("ul", { class: "legend", "aria-label": `${definition.title} now` });
    const caption = make("figcaption", {}, make("h3", {}, definition.title), make("span", { class: "unit" }, definition.unit));
    $("figures").append(make("figure", {}, caption, this.drawing, this.legend));
  }

  // `at`: of the page's clock, seconds.
  take(now, before, at) {
    for (const { name, value } of this.definition.lines(now)) {
      if (!this.series.has(name)) this.series.set(name, []);
      this.series.get(name).push([at, value(now, before)]);
    }
    for (const [name, points] of this.series) {
      while (points.length && points[0][0] < at - HISTORY_S) points.shift();
      if (!points.length) this.series.delete(name);
    }
  }

  // A gap in all lines: what was between is not known.
  gap(at) { for (const points of this.series.values()) if (points.at(-1)?.[1] !== null) points.push([at, null]); }

  // What is drawn of the last `span` seconds: the greatest, if there are too many, each with the colour that it has had.
  chosen(at, span) {
    let list = [...this.series].map(([name, points]) => ({ name, points: points.filter(([when]) => when >= at - span) }));
    for (const line of list) line.sum = line.points.reduce((sum, [, value]) => sum + (value ?? 0), 0);
    if (this.definition.most) list = list.filter((line) => line.sum > 0);
    if (this.definition.most || list.length > LINES_MAX) list = list.sort((a, b) => b.sum - a.sum).slice(0, LINES_MAX);
    const names = new Set(list.map(({ name }) => name));
    this.drawn = this.drawn.map((name) => names.has(name) ? name : null);
    for (const line of list) {
      line.colour = this.drawn.indexOf(line.name);
      if (line.colour < 0) {
        const free = this.drawn.indexOf(null);
        line.colour = free < 0 ? this.drawn.length : free;
        this.drawn[line.colour] = line.name;
      }
    }
    return list.sort((a, b) => a.colour - b.colour);
  }

  // What a chart shows, for those who hear it.
  words(list, span) {
    const { title, unit } = this.definition;
    const lines = list.map(({ name, points }) => {
      const values = points.map(([, value]) => value).filter((value) => value !== null);
      const range = values.length ? `, from ${shown(Math.min(...values))} to ${shown(Math.max(...values))}` : "";
      return `${name}: now ${shown(points.at(-1)?.[1])}${range}.`;
    });
    return `${title}, ${unit}, ${span / 60 === 1 ? "the last minute" : `the last ${span / 60} minutes`}. ${lines.join(" ") || "Nothing."}`;
  }

  width() { return Math.max(this.drawing.clientWidth, 200); }

  draw(at, span, width) {
    const height = 170;
    const left = 52, right = width - 8, top = 8, bottom = height - 20;
    const list = this.chosen(at, span);
    const greatest = Math.max(this.definition.top ?? 0, ...list.flatMap(({ points }) => points.map(([, value]) => value ?? 0)));
    const axis = scale(greatest > 0 ? greatest : 1);
    const x = (when) => right - (at - when) / span * (right - left);
    const y = (value) => bottom - value / axis.top * (bottom - top);
    const parts = [];
    for (let part = 0; part <= axis.parts; part++) {
      const value = axis.top * part / axis.parts;
      parts.push(svg("line", { class: part ? "grid" : "axis", x1: left, x2: right, y1: y(value), y2: y(value) }));
      parts.push(svg("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, value.toLocaleString("en", { notation: value >= 1e5 ? "compact" : "standard", maximumFractionDigits: 3 })));
    }
    for (let part = 0; part <= 3; part++) {
      const back = span - span * part / 3;
      const text = back === 0 ? "now" : span < 120 ? `−${back} s` : `−${(back / 60).toLocaleString("en", { maximumFractionDigits: 1 })} min`;
      parts.push(svg("text", { x: x(at - back), y: height - 5, "text-anchor": ["start", "middle", "middle", "end"][part] }, text));
    }
    for (const { points, colour } of list) {
      let path = "", pen = "M";
      for (const [when, value] of points) {
        if (value === null) { pen = "M"; continue; }
        path += `${pen}${x(when).toFixed(1)} ${y(value).toFixed(1)}`;
        pen = "L";
      }
      parts.push(svg("path", { class: `k${colour}`, d: path || "M0 0" }));
    }
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.drawing.setAttribute("aria-label", this.words(list, span));
    this.drawing.replaceChildren(...parts);
    if (!list.length) return this.legend.replaceChildren(make("li", {}, "nothing"));
    this.legend.replaceChildren(...list.map(({ name, points, colour }) => {
      const key = svg("svg", { viewBox: "0 0 20 8", "aria-hidden": "true" });
      key.append(svg("path", { class: `k${colour}`, d: "M0 4H20" }));
      return make("li", {}, key, name, make("b", {}, shown(points.at(-1)?.[1])));
    }));
  }
}

const charts = CHARTS.map((definition) => new Chart(definition));

function fill(id, rows) {
  const body = $(id);
  const columns = body.closest("table").tHead.rows[0].cells.length;
  const empty = make("tr", {}, make("td", { colspan: columns }, "nothing"));
  body.replaceChildren(...(rows.length ? rows : [empty]));
}

const row = (name, numbers) =>
  make("tr", {}, make("th", { scope: "row" }, name), ...numbers.map((value) => make("td", { class: "number" }, shown(value))));

// The greatest of a family, by the first of some rates.
function greatest(id, family, label, rates, now, before) {
  const rows = now.all(family).map(({ labels }) => ({ name: labels[label], numbers: rates.map((value) => value(now, before, labels)) }));
  const some = rows.filter(({ numbers }) => numbers[0] > 0).sort((a, b) => b.numbers[0] - a.numbers[0]);
  fill(id, some.slice(0, ROWS_MAX).map(({ name, numbers }) => row(name, numbers)));
}

function drawTables(now, before, sessions) {
  greatest("wait-rows", "heddle_wait_seconds_total", "wait_type", [rate("heddle_wait_seconds_total", 1000), rate("heddle_wait_signal_seconds_total", 1000), rate("heddle_waits_total")], now, before);
  greatest("spinlock-rows", "heddle_spinlock_collisions_total", "spinlock", [rate("heddle_spinlock_collisions_total"), rate("heddle_spinlock_spins_total"), rate("heddle_spinlock_backoffs_total")], now, before);
  greatest("latch-rows", "heddle_latch_wait_seconds_total", "class", [rate("heddle_latch_wait_seconds_total", 1000), rate("heddle_latch_waits_total")], now, before);
  const more = sessions.total > sessions.sessions.length ? `; the first ${sessions.sessions.length} are shown` : "";
  $("session-count").textContent = `${shown(sessions.total)} sessions, ${shown(sessions.running)} run a request${more}`;
  fill("session-rows", sessions.sessions.map((session) => {
    const text = (value) => make("td", {}, value ?? "");
    const number = (value) => make("td", { class: "number" }, value === undefined || value === null ? "" : shown(value));
    const waits = session.wait_type !== undefined && session.wait_type !== null;
    return make("tr", {}, make("th", { scope: "row" }, String(session.session_id)), text(session.login_name), text(session.host_name),
      text(session.program_name), text(session.status ?? "sleeping"), text(session.wait_type), number(waits ? session.wait_time : null),
      number(session.blocking_session_id || null), number(session.scheduler_id), number(session.total_elapsed_time));
  }));
}

let latest = null, before = null, sessions = null, paused = false, drawnAt = -Infinity, answered = null;

function draw(always) {
  const due = performance.now() - drawnAt >= CALM_MS - EVERY_MS / 2;
  if (!latest || document.hidden || !always && (paused || calm.matches && !due)) return;
  drawnAt = performance.now();
  const span = Number($("span").value);
  // All widths first: one that is asked for after something was drawn makes the browser lay out the whole page.
  const widths = charts.map((chart) => chart.width());
  charts.forEach((chart, index) => chart.draw(answered, span, widths[index]));
  if (before) drawTables(latest, before, sessions);
}

// Said only when it changes: it is read aloud.
function say(text, bad) {
  if ($("state").textContent !== text) $("state").textContent = text;
  $("state").classList.toggle("bad", bad);
}

const sayState = () => say(paused ? "Paused; the numbers are still collected." : "Live.", false);

function about(reading) {
  const [{ labels }] = reading.all("heddle_info");
  $("server").textContent = labels.server;
  const minutes = Math.floor(reading.at / 60);
  const up = minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  $("about").textContent = `version ${labels.version}, kernel ${labels.kernel}, workers ${labels.workers}, up ${up}`;
}

const asked = async (path) => {
  const answer = await fetch(path, { cache: "no-store", signal: AbortSignal.timeout(5000) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${answer.statusText}`);
  return answer;
};

async function look() {
  const at = performance.now() / 1000;
  try {
    // One after the other: two at once would make each other wait, and be seen among the runnable tasks.
    const reading = new Reading(await (await asked("metrics")).text());
    sessions = await (await asked("sessions")).json();
    // A server that was started anew counts from 0.
    before = latest && latest.at < reading.at ? latest : null;
    latest = reading;
    answered = at;
    if (before) for (const chart of charts) chart.take(latest, before, at);
    else for (const chart of charts) chart.gap(at);
    about(reading);
    sayState();
  } catch (error) {
    for (const chart of charts) chart.gap(at);
    latest = null;
    say(`No answer from the server (${error.message}).`, true);
  }
  draw(false);
  setTimeout(look, Math.max(100, EVERY_MS - (performance.now() - at * 1000)));
}

$("span").addEventListener("change", () => draw(true));
$("pause").addEventListener("click", () => {
  paused = !paused;
  $("pause").setAttribute("aria-pressed", paused);
  if (latest) sayState();
  if (!paused) draw(true);
});
document.addEventListener("visibilitychange", () => draw(false));
addEventListener("resize", () => draw(true));
look();
