// What every chart is drawn with: scales, axes at decades, lines, text, hatching.

import { s } from "../dom";
import { short } from "../format";

export interface Scale {
  (value: number): number;
  domain: [number, number];
  range: [number, number];
  log: boolean;
  invert(at: number): number;
}

export function logScale(domain: [number, number], range: [number, number]): Scale {
  const low = Math.log(domain[0]);
  const span = Math.log(domain[1]) - low;
  const scale = (value: number) => {
    const share = (Math.log(Math.max(value, Number.MIN_VALUE)) - low) / span;
    return range[0] + clamped(share) * (range[1] - range[0]);
  };
  const invert = (at: number) => Math.exp(low + ((at - range[0]) / (range[1] - range[0])) * span);
  return Object.assign(scale, { domain, range, log: true, invert });
}

export function linearScale(domain: [number, number], range: [number, number]): Scale {
  const span = domain[1] - domain[0] || 1;
  const scale = (value: number) => range[0] + clamped((value - domain[0]) / span) * (range[1] - range[0]);
  const invert = (at: number) => domain[0] + ((at - range[0]) / (range[1] - range[0])) * span;
  return Object.assign(scale, { domain, range, log: false, invert });
}

/** Far outside stays outside, and no coordinate becomes infinite or no number. */
function clamped(share: number): number {
  return Number.isNaN(share) ? 0 : Math.min(Math.max(share, -2), 3);
}

/** Whole decades around values; a zero or a negative value has no place on a logarithmic axis. */
export function decades(values: Iterable<number | null | undefined>, atLeast?: [number, number]): [number, number] {
  let low = atLeast?.[0] ?? Infinity;
  let high = atLeast?.[1] ?? -Infinity;
  for (const value of values)
    if (value !== null && value !== undefined && Number.isFinite(value) && value > 0) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  if (!(low <= high)) return [1, 10];
  const from = 10 ** Math.floor(Math.log10(low) + 1e-9);
  const to = 10 ** Math.ceil(Math.log10(high) - 1e-9);
  return [from, to > from ? to : from * 10];
}

/** Values with some room, where whole decades would leave most of a chart empty. */
export function around(values: number[]): [number, number] {
  const seen = values.filter((value) => value > 0 && Number.isFinite(value));
  return seen.length === 0 ? [1, 10] : [Math.min(...seen) / 1.5, Math.max(...seen) * 2];
}

export function decadeTicks(domain: [number, number]): number[] {
  const ticks: number[] = [];
  const from = Math.ceil(Math.log10(domain[0]) - 1e-9);
  const to = Math.floor(Math.log10(domain[1]) + 1e-9);
  for (let power = from; power <= to; power++) ticks.push(10 ** power);
  return ticks;
}

/** Round steps on a linear axis. */
export function evenTicks(domain: [number, number], about: number): number[] {
  const raw = (domain[1] - domain[0]) / Math.max(1, about);
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * size).find((one) => one >= raw) ?? raw;
  const ticks: number[] = [];
  for (let at = Math.ceil(domain[0] / step) * step; at <= domain[1] + step * 1e-9; at += step) ticks.push(+at.toPrecision(12));
  return ticks;
}

export interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

type Anchor = "start" | "middle" | "end";

export function text(x: number, y: number, words: string, kind = "", anchor: Anchor = "start"): SVGTextElement {
  return s("text", { x: x.toFixed(1), y: y.toFixed(1), class: `t ${kind}`, "text-anchor": anchor }, words);
}

export function line(x1: number, y1: number, x2: number, y2: number, kind: string): SVGLineElement {
  return s("line", { x1: x1.toFixed(1), y1: y1.toFixed(1), x2: x2.toFixed(1), y2: y2.toFixed(1), class: kind });
}

export function box(x: number, y: number, width: number, height: number, kind: string, radius = 0): SVGRectElement {
  const size = { width: Math.max(0, width).toFixed(1), height: Math.max(0, height).toFixed(1) };
  return s("rect", { x: x.toFixed(1), y: y.toFixed(1), ...size, class: kind, rx: radius || null });
}

export type Point = [number, number];

export function polyline(points: Point[], kind: string): SVGPathElement {
  return s("path", { d: pathOf(points), class: kind });
}

export function pathOf(points: Point[]): string {
  return points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

/** A band between two lines. */
export function band(upper: Point[], lower: Point[], kind: string): SVGPathElement {
  return s("path", { d: `${pathOf([...upper, ...[...lower].reverse()])}Z`, class: kind });
}

export function dot(x: number, y: number, radius: number, kind: string): SVGCircleElement {
  return s("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: radius, class: kind });
}

export function diamond(x: number, y: number, size: number, kind: string): SVGPathElement {
  return s("path", { d: `M${x} ${y - size}L${x + size} ${y}L${x} ${y + size}L${x - size} ${y}Z`, class: kind });
}

interface AxisLook {
  label?: (value: number) => string;
  ticks?: number[];
  name?: string;
}

export function xAxis(scale: Scale, area: Area, look: AxisLook = {}): SVGGElement {
  const ticks = look.ticks ?? (scale.log ? decadeTicks(scale.domain) : evenTicks(scale.domain, 6));
  const shown = thinned(ticks, Math.max(2, Math.floor((area.right - area.left) / 56)));
  const group = s("g", { "aria-hidden": "true" });
  for (const tick of shown) {
    const x = scale(tick);
    if (x > area.left + 1 && x < area.right - 1) group.append(line(x, area.top, x, area.bottom, "grid"));
    group.append(text(x, area.bottom + 18, (look.label ?? short)(tick), "t2", "middle"));
  }
  if (look.name) group.append(text((area.left + area.right) / 2, area.bottom + 36, look.name, "t2", "middle"));
  return group;
}

export function yAxis(scale: Scale, area: Area, look: AxisLook = {}): SVGGElement {
  const ticks = look.ticks ?? (scale.log ? decadeTicks(scale.domain) : evenTicks(scale.domain, 4));
  const group = s("g", { "aria-hidden": "true" });
  for (const tick of thinned(ticks, Math.max(2, Math.floor((area.bottom - area.top) / 28)))) {
    const y = scale(tick);
    if (y < area.top - 0.5 || y > area.bottom + 0.5) continue;
    group.append(line(area.left, y, area.right, y, "grid"), text(area.left - 8, y + 4, (look.label ?? short)(tick), "t2", "end"));
  }
  if (look.name) group.append(text(area.left - 8, area.top - 14, look.name, "t2", "end"));
  return group;
}

function thinned(ticks: number[], most: number): number[] {
  const step = Math.ceil(ticks.length / most);
  return step <= 1 ? ticks : ticks.filter((_, i) => i % step === 0);
}

/** Labels at line ends, moved apart so that none covers another. Order is kept. */
export function spread(wanted: number[], gap: number, low: number, high: number): number[] {
  const order = wanted.map((y, i) => ({ y, i })).sort((a, b) => a.y - b.y);
  for (let i = 1; i < order.length; i++) {
    const one = order[i] as { y: number };
    one.y = Math.max(one.y, (order[i - 1] as { y: number }).y + gap);
  }
  let over = (order.at(-1)?.y ?? 0) - high;
  for (let i = order.length - 1; i >= 0 && over > 0; i--) {
    const one = order[i] as { y: number };
    const next = order[i + 1];
    one.y = Math.min(one.y, next ? next.y - gap : high);
    over = next ? one.y - (next.y - gap) : 1;
  }
  const placed = new Array<number>(wanted.length);
  for (const one of order) placed[one.i] = Math.max(low, one.y);
  return placed;
}

/** Between two measured points of a line, as the line is drawn: straight where both axes are logarithmic. */
export function alongLog(xs: number[], ys: (number | null)[], x: number): number | null {
  const after = xs.findIndex((one) => one >= x);
  if (after < 0) return null;
  const y1 = ys[after];
  if (after === 0 || xs[after] === x) return y1 ?? null;
  const [x0, x1, y0] = [xs[after - 1] as number, xs[after] as number, ys[after - 1]];
  if (y0 === null || y0 === undefined || y1 === null || y1 === undefined) return null;
  const share = (Math.log(x) - Math.log(x0)) / (Math.log(x1) - Math.log(x0));
  return Math.exp(Math.log(y0) + share * (Math.log(y1) - Math.log(y0)));
}
