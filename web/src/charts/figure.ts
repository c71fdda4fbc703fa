// A figure: a finding as its title, the chart, what its numbers are, and the same as a table or a file. Hover, keyboard and pins
// are the same in every chart; charts along the same axis share their crosshair.

import { h, replace, s } from "../dom";
import { downloadCsv, downloadPng, downloadSvg } from "../export";

export interface Column {
  name: string;
  unit: string;
}

export interface Table {
  columns: Column[];
  rows: (number | string | null)[][];
}

export interface Badge {
  kind: "bound" | "calibrated" | "measured" | "extrapolated" | "note";
  words: string;
  title?: string; // in full, where the words are short
}

/** A place in the chart that can be read: by hand, by arrow keys, and from another chart along the same axis. */
export interface Stop {
  x: number; // pixels
  y?: number;
  value: number; // along the axis
  lines: string[]; // the first is its heading
  why?: string; // a figure whose derivation W opens
}

export interface Drawing {
  title: string;
  label: string; // for those who hear it
  svg: SVGSVGElement;
  table: Table;
  badges: Badge[];
  stops: Stop[];
  axis: string; // "batch": crosshairs of the same axis move together
  top: number;
  bottom: number; // of the crosshair
}

export interface FigureSettings {
  id: string;
  height: (width: number) => number;
  /** A text: why there is nothing to draw. Null: not known yet, and what stands there stays. */
  draw: (width: number, height: number) => Drawing | string | null;
  command: () => string;
  onWhy?: (figure: string) => void;
  empty?: string;
}

const linked = new EventTarget();

export class Figure {
  readonly element: HTMLElement;
  #settings: FigureSettings;
  #title = h("figcaption", { class: "fttl" });
  #stage = h("div", { class: "stage", tabindex: "0", role: "group" });
  #tip = h("div", { class: "tip", hidden: true });
  #cursor = s("line", { class: "cursor" });
  #table = h("div", { class: "table", hidden: true, tabindex: "0", role: "region" }); // it scrolls: by keys as well
  #badges = h("span", { class: "badges" });
  #drawing: Drawing | null = null;
  #at = -1;
  #pinned = false;
  #width = 0;

  constructor(settings: FigureSettings) {
    this.#settings = settings;
    const action = (words: string, does: () => void) => h("button", { type: "button", onclick: does }, words);
    const actions = h(
      "span",
      { class: "act" },
      action("Table", () => this.#toggleTable()),
      action("CSV", () => this.#drawing && downloadCsv(settings.id, this.#drawing, settings.command())),
      action("SVG", () => this.#drawing && downloadSvg(settings.id, this.#drawing, settings.command())),
      action("PNG", () => this.#drawing && void downloadPng(settings.id, this.#drawing, settings.command())),
    );
    const foot = h("div", { class: "ffoot" }, this.#badges, actions);
    this.element = h("figure", { id: `figure-${settings.id}`, class: "waiting" }, this.#title, this.#stage, this.#tip, foot, this.#table);
    this.#stage.addEventListener("pointermove", (event) => this.#point(event));
    this.#stage.addEventListener("pointerleave", () => !this.#pinned && this.#leave());
    this.#stage.addEventListener("blur", () => !this.#pinned && this.#leave());
    this.#stage.addEventListener("click", () => this.#pin(!this.#pinned && this.#at >= 0));
    this.#stage.addEventListener("keydown", (event) => this.#key(event));
    linked.addEventListener("hover", (event) => this.#follow((event as CustomEvent).detail));
    new ResizeObserver((entries) => {
      const width = Math.floor(entries.at(-1)?.contentRect.width ?? 0);
      if (width === this.#width) return;
      this.#width = width;
      this.draw();
    }).observe(this.#stage);
  }

  /** For those who check numbers: what the table holds. */
  get table(): Table | null {
    return this.#drawing?.table ?? null;
  }

  draw(): void {
    this.#width ||= this.#stage.clientWidth; // afterwards the observer tells: asking here lays the whole page out, in every step of a drag
    const width = this.#width;
    if (width === 0) return;
    const height = this.#settings.height(width);
    const drawing = this.#settings.draw(width, height);
    this.#drawing = typeof drawing === "string" ? null : drawing;
    if (typeof drawing === "string") return this.#say(drawing);
    this.#stage.style.minHeight = drawing ? "" : `${height}px`; // its room, so that nothing below moves when it is drawn
    if (!drawing) {
      if (!this.#stage.querySelector("svg")) replace(this.#stage, h("p", { class: "empty" }, this.#settings.empty ?? "asking the engine …"));
      return;
    }
    this.element.classList.remove("waiting");
    this.#title.textContent = drawing.title;
    const { svg } = drawing;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("width", String(width));
    svg.setAttribute("height", String(height));
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", drawing.label);
    svg.append(this.#cursor);
    this.#stage.setAttribute("aria-label", `${drawing.label} Arrow keys read it, Enter pins, Escape lets go.`);
    this.#cursor.setAttribute("visibility", "hidden");
    replace(this.#stage, svg);
    replace(this.#badges, drawing.badges.map(badge));
    this.#table.setAttribute("aria-label", `Table: ${drawing.title}`);
    if (!this.#table.hidden) replace(this.#table, tableOf(drawing));
    if (this.#at >= 0 && this.#pinned) this.#show(Math.min(this.#at, drawing.stops.length - 1));
    else this.#tip.hidden = true;
  }

  /** What was drawn was of another question. */
  #say(words: string): void {
    this.element.classList.remove("waiting");
    this.#title.textContent = words;
    this.#tip.hidden = true;
    this.#stage.style.minHeight = "";
    replace(this.#stage);
    replace(this.#badges);
    replace(this.#table);
  }

  #toggleTable(): void {
    this.#table.hidden = !this.#table.hidden;
    if (!this.#table.hidden && this.#drawing) replace(this.#table, tableOf(this.#drawing));
  }

  #point(event: PointerEvent): void {
    if (!this.#drawing || this.#pinned || event.buttons !== 0) return;
    const frame = this.#stage.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
    this.#show(nearest(this.#drawing.stops, x, y));
    this.#tell();
  }

  #leave(): void {
    this.#at = -1;
    this.#tip.hidden = true;
    this.#cursor.setAttribute("visibility", "hidden");
    this.#tell();
  }

  #pin(on: boolean): void {
    this.#pinned = on;
    this.#tip.classList.toggle("pinned", on);
    if (!on) this.#leave();
  }

  #key(event: KeyboardEvent): void {
    const stops = this.#drawing?.stops ?? [];
    if (stops.length === 0) return;
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (event.target !== this.#stage) return;
    if (step !== undefined) this.#show(Math.max(0, Math.min(stops.length - 1, (this.#at < 0 ? 0 : this.#at) + step)));
    else if (event.key === "Home") this.#show(0);
    else if (event.key === "End") this.#show(stops.length - 1);
    else if (event.key === "Enter") this.#pin(this.#at >= 0);
    else if (event.key === "Escape") this.#pin(false);
    else if (event.key === "w" || event.key === "W") {
      const figure = stops[Math.max(0, this.#at)]?.why;
      if (!figure) return;
      this.#settings.onWhy?.(figure);
    } else return;
    event.preventDefault();
    event.stopPropagation();
    this.#tell();
  }

  #show(index: number): void {
    const stop = this.#drawing?.stops[index];
    if (!stop || !this.#drawing) return;
    this.#at = index;
    this.#rule(stop.x);
    replace(this.#tip, h("b", {}, stop.lines[0] ?? ""), stop.lines.slice(1).map((words) => h("span", {}, words)));
    this.#tip.hidden = false;
    const [width, tip] = [this.#width, this.#tip.offsetWidth];
    const left = stop.x + 14 + tip > width ? stop.x - tip - 14 : stop.x + 14;
    this.#tip.style.left = `${Math.max(0, left)}px`;
    const top = (stop.y ?? this.#drawing.top + 12) + this.#stage.offsetTop - 10;
    this.#tip.style.top = `${Math.max(this.#stage.offsetTop, top)}px`;
  }

  #rule(x: number): void {
    if (!this.#drawing) return;
    for (const end of ["x1", "x2"]) this.#cursor.setAttribute(end, x.toFixed(1));
    this.#cursor.setAttribute("y1", String(this.#drawing.top));
    this.#cursor.setAttribute("y2", String(this.#drawing.bottom));
    this.#cursor.setAttribute("visibility", "visible");
  }

  #tell(): void {
    const stop = this.#drawing?.stops[this.#at];
    const detail = { from: this, axis: this.#drawing?.axis, value: stop?.value };
    linked.dispatchEvent(new CustomEvent("hover", { detail }));
  }

  #follow(told: { from: Figure; axis: string | undefined; value: number | undefined }): void {
    const drawing = this.#drawing;
    if (told.from === this || !drawing || drawing.axis === "" || told.axis !== drawing.axis || this.#pinned) return;
    if (told.value === undefined) this.#cursor.setAttribute("visibility", "hidden");
    else {
      const value = told.value;
      const by = (stop: Stop) => Math.abs(Math.log(stop.value / value));
      const close = [...drawing.stops].sort((a, b) => by(a) - by(b))[0];
      if (close) this.#rule(close.x);
    }
  }
}

function nearest(stops: Stop[], x: number, y: number): number {
  let best = -1;
  let least = Infinity;
  stops.forEach((stop, i) => {
    const far = Math.abs(stop.x - x) + (stop.y === undefined ? 0 : 0.3 * Math.abs(stop.y - y));
    if (far < least) [best, least] = [i, far];
  });
  return best;
}

export function badge(one: Badge): HTMLElement {
  const mark = {
    bound: () => s("path", { d: "M5 0V10", class: "wall" }),
    calibrated: () => s("circle", { cx: 5, cy: 5, r: 4, class: "dotc" }),
    measured: () => s("path", { d: "M5 0L10 5L5 10L0 5Z", class: "meas" }),
    extrapolated: () => s("circle", { cx: 5, cy: 5, r: 3.5, class: "ring" }),
    note: () => null,
  }[one.kind]();
  if (one.kind === "note") return h("span", { class: "fnote" }, one.words);
  return h("span", { class: `badge ${one.kind}`, title: one.title ?? null }, mark && s("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" }, mark), h("span", { class: "words" }, one.words));
}

function tableOf(drawing: Drawing): HTMLElement {
  const { columns, rows } = drawing.table;
  const head = h("tr", {}, columns.map((one) => h("th", { scope: "col" }, one.name, one.unit ? h("small", {}, ` ${one.unit}`) : null)));
  const cell = (value: number | string | null) =>
    typeof value === "number" ? h("td", { class: "num", "data-value": value }, String(+value.toPrecision(6))) : h("td", {}, value ?? "");
  return h("table", {}, h("caption", {}, drawing.title), h("thead", {}, head), h("tbody", {}, rows.map((row) => h("tr", {}, row.map(cell)))));
}
