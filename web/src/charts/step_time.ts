// Step time against batch: two clocks, the ridge where they meet, the floor, and where memory ends.

import { beyond, fits, interval, values, wholeBatch, type Answers } from "../answers";
import { s } from "../dom";
import { number, seconds } from "../format";
import type { State } from "../state";
import { batchRibbon } from "./ribbon";
import type { Badge, Drawing, Stop, Table } from "./figure";
import { alongLog, band, box, dot, line, logScale, polyline, spread, text, xAxis, yAxis, type Area, type Point } from "./kit";
import { batchHandle } from "./handle";
import { Labels, type Spot } from "./labels";

const milliseconds = (value: number) => (value >= 1 ? `${number(value, 1)} s` : value >= 1e-3 ? `${number(value * 1e3, 1)} ms` : `${+(value * 1e3).toPrecision(1)} ms`);

export function stepTimeChart(answers: Answers, state: State, width: number, height: number): Drawing | null {
  const { curve, bound } = answers;
  if (!curve || !bound) return null;
  const narrow = width < 600;
  const area: Area = { left: narrow ? 50 : 52, top: 34, right: width - (narrow ? 8 : 116), bottom: height - 44 };
  const xs: number[] = curve.x;
  const step = values(curve, "step_time");
  const weights = values(curve, "weights_time");
  const kv = values(curve, "kv_time");
  const compute = values(curve, "compute_time");
  const served = answers.loads.filter((one) => fits(one.json));
  const x = logScale([1, xs.at(-1) ?? 1e5], [area.left, area.right]);
  const steps = [...step.filter((_, i) => (xs[i] ?? 0) <= limitOf(curve)), ...served.map((one) => one.json.tpot as number)];
  const low = Math.min(...steps.filter((one) => one > 0));
  const y = logScale([Math.min(4e-5, low / 2), Math.max(0.3, 1.5 * Math.max(...steps.filter(Number.isFinite)))], [area.bottom, area.top]);
  const limit = limitOf(curve);
  const svg = s("svg", {});
  const cut = `cut-${Math.round(width)}`;
  svg.append(s("defs", {}, s("clipPath", { id: cut }, box(area.left, area.top, area.right - area.left, area.bottom - area.top, ""))));
  svg.append(yAxis(y, area, { label: milliseconds, name: "step" }));
  svg.append(xAxis(x, area, { name: narrow ? "batch" : "batch: requests decoding at once" }));
  svg.append(batchRibbon(curve, x, area, narrow));

  const lines = s("g", { "clip-path": `url(#${cut})` });
  svg.append(lines);
  const upTo = xs.map((one, i) => [one, i] as const).filter(([one]) => one <= limit);
  const path = (ys: number[], all = false): Point[] => {
    const kept = all ? xs.map((one, i) => [one, i] as const) : upTo;
    const points: Point[] = kept.map(([one, i]) => [x(one), y(ys[i] ?? NaN)]);
    const edge = alongLog(xs, ys, limit);
    if (!all && edge !== null && Number.isFinite(limit) && limit > 1) points.push([x(limit), y(edge)]);
    return points;
  };
  const fitsHere = bound.fit.fits as boolean;
  if (!fitsHere) lines.append(polyline(path(step, true), "stepline ghost"), polyline(path(compute, true), "ln cmp ghost"));
  lines.append(polyline(path(weights), "ln hbm"), polyline(path(kv), "ln hbm kv"), polyline(path(compute), "ln cmp"));
  lines.append(calibratedLine(served, "tpot", x, y));
  lines.append(polyline(path(step), "stepline"));

  const marks = curve.marks;
  const floorAt = y(marks.floor_all);
  svg.append(line(area.left, floorAt, area.right, floorAt, "floor"));
  const servedLine = served.map((one): Point => [x(one.load), y(one.json.tpot)]);
  const labels = new Labels([path(step), path(weights), path(kv), path(compute), servedLine, [[area.left, floorAt], [area.right, floorAt]]], area);
  const along = (shares: number[]): number[] => shares.map((share) => area.left + 8 + (area.right - area.left) * share);
  const floorWords = `floor ${seconds(marks.floor_all)}: every weight read once`;
  const floorSpot = narrow ? null : labels.place(floorWords, along([0, 0.2, 0.4, 0.6]).flatMap((at) => [{ x: at, y: floorAt - 7 }, { x: at, y: floorAt + 15 }]));
  if (floorSpot) svg.append(text(floorSpot.x, floorSpot.y, floorWords, "t2 th"));
  const ridge = marks.flip_batch as number | null;
  if (ridge !== null && ridge >= 1 && x(ridge) < area.right) {
    const meet = alongLog(xs, step, ridge);
    svg.append(line(x(ridge), area.top - 8, x(ridge), meet === null ? area.bottom : y(meet), "ridge"));
    const leftOf = x(ridge) > area.right - 90;
    const words = text(x(ridge) + (leftOf ? -6 : 6), area.top + 15, "ridge ", "th", leftOf ? "end" : "start");
    words.append(s("tspan", { class: "b", "data-value": ridge }, number(wholeBatch(ridge))));
    svg.append(words);
  }
  if (served.length > 0 && !narrow) {
    const what = ` ${servedBy(served)}`;
    const [start, ...rest] = servedLine as [Point, ...Point[]];
    const spot = labels.place(`calibrated${what}`, [{ x: start[0] + 8, y: start[1] - 12 }, { x: start[0] + 8, y: start[1] + 22 }, ...rest.flatMap(([px, py]): Spot[] => [{ x: px - 6, y: py - 10, anchor: "end" }, { x: px + 8, y: py + 20 }])]);
    const words = spot && text(spot.x, spot.y, "", "th", spot.anchor);
    words?.append(s("tspan", { class: "sb" }, "calibrated"), what);
    if (words) svg.append(words);
  }
  const stepLine = path(step); // below it where it still rises, else above it
  const places = [0.17, 0.3, 0.45, 0.6].flatMap((share) => stepLine.find(([px]) => px > area.left + (area.right - area.left) * share) ?? []) as number[];
  const stepSpots = places.flatMap((px, i): Spot[] => (i % 2 === 1 ? [] : [{ x: px + 10, y: (places[i + 1] ?? 0) + 20 }, { x: px - 6, y: (places[i + 1] ?? 0) - 9, anchor: "end" }]));
  const stepSpot = narrow || !fitsHere ? null : labels.place("step, roofline bound", stepSpots);
  if (stepSpot) svg.append(text(stepSpot.x, stepSpot.y, "step, roofline bound", "sb th", stepSpot.anchor));
  if (limit >= 1) endLabels(svg, area, narrow, [
    { name: "weight reads", kind: "c-hbm", y: y(weights[upTo.at(-1)?.[1] ?? 0] ?? NaN) },
    { name: "KV cache reads", kind: "c-hbm", y: y(alongLog(xs, kv, Math.min(limit, xs.at(-1) ?? limit)) ?? NaN) },
    { name: "compute", kind: "c-cmp", y: y(alongLog(xs, compute, Math.min(limit, xs.at(-1) ?? limit)) ?? NaN) },
  ], x(Math.min(limit, xs.at(-1) ?? limit)));

  const here = bound.figures.step_time.value as number;
  const handle = batchHandle(x, area, state.batch);
  svg.append(handle);
  const calibrated = answers.calibrated;
  if (fits(calibrated)) svg.append(dot(x(state.batch), y(calibrated.tpot), 5, beyond(calibrated).length ? "dotb small" : "dotc"));
  svg.append(dot(x(state.batch), y(here), 5.5, "dotb"));

  const stops = xs.map((batch, i): Stop => stopAt(batch, i, answers, { xs, step, weights, kv, compute }, x, y, limit));
  return {
    title: titleOf(ridge, curve, limit, bound, state),
    label: `Step time against batch. ${ridge === null ? "" : `Ridge at batch ${number(wholeBatch(ridge))}.`} ${limit < 1 ? "Nothing fits." : Number.isFinite(limit) ? `Does not fit above ${number(Math.floor(limit))}.` : ""}`,
    svg,
    table: tableOf(answers),
    badges: badgesOf(answers),
    stops,
    axis: "batch",
    top: area.top,
    bottom: area.bottom,
  };
}

export const limitOf = (curve: Answers["curve"]): number => curve.marks.capacity_limit ?? Infinity;
/** Engine and layout of a calibrated line: the layout may be another at its end, where more requests need more memory. */
export function servedBy(served: Answers["loads"]): string {
  const [first, last] = [served[0]?.json, served.at(-1)?.json];
  return `${engineName(first?.engine)}, ${first?.layout.name}${last && last.layout.name !== first?.layout.name ? ` to ${last.layout.name}` : ""}`;
}
const engineName = (engine: string): string => ({ sglang: "SGLang", vllm: "vLLM", trtllm: "TensorRT-LLM", "llama.cpp": "llama.cpp" })[engine] ?? engine;

/** A calibrated figure along its loads with its interval, dashed from the first load that is beyond what was measured. */
export function calibratedLine(served: Answers["loads"], name: "tpot" | "output_cost", x: (v: number) => number, y: (v: number) => number): SVGGElement {
  const group = s("g");
  const edges = served.filter((one) => interval(one.json, name));
  const side = (i: 0 | 1): Point[] => edges.map((one) => [x(one.load), y((interval(one.json, name) as [number, number])[i])]);
  if (edges.length > 1) group.append(band(side(1), side(0), "band"));
  const points = served.map((one): Point => [x(one.load), y(one.json[name])]);
  const firstBeyond = served.findIndex((one) => one.json.situation?.doublings_beyond_load > 0 || beyond(one.json).length > 0);
  const split = firstBeyond < 0 ? points.length : Math.max(firstBeyond, 0);
  if (split > 0) group.append(polyline(points.slice(0, split + 0), "cal"));
  if (split < points.length) group.append(polyline(points.slice(Math.max(0, split - 1)), "cal ext"));
  return group;
}

function endLabels(svg: SVGElement, area: Area, narrow: boolean, ends: { name: string; kind: string; y: number }[], endX: number): void {
  const seen = ends.filter((one) => one.y > area.top - 40 && one.y < area.bottom);
  if (narrow) return;
  const wanted = seen.map((one) => Math.max(area.top + 8, one.y));
  spread(wanted, 18, area.top + 8, area.bottom - 4).forEach((at, i) => {
    const one = seen[i];
    if (!one) return;
    svg.append(line(endX + 2, Math.max(area.top, one.y), area.right + 4, at, "lead"), text(area.right + 8, at + 4, one.name, `${one.kind} sb`));
  });
}

function stopAt(batch: number, i: number, answers: Answers, lines: Record<"xs" | "step" | "weights" | "kv" | "compute", number[]>, x: (v: number) => number, y: (v: number) => number, limit: number): Stop {
  const at = (name: "step" | "weights" | "kv" | "compute") => lines[name][i] ?? NaN;
  const memory = at("weights") + at("kv");
  const shown = [`batch ${number(batch)}: ≥ ${seconds(at("step"))} a step (bound)`];
  shown.push(`weights ${seconds(at("weights"))}, KV cache ${seconds(at("kv"))}, compute ${seconds(at("compute"))}`);
  shown.push(batch > limit ? "does not fit" : at("compute") > memory ? "compute-bound" : "HBM-bound");
  const served = [...answers.loads].filter((one) => fits(one.json)).sort((a, b) => Math.abs(Math.log(a.load / batch)) - Math.abs(Math.log(b.load / batch)))[0];
  if (served) {
    const range = interval(served.json, "tpot");
    const words = range ? ` (80%: ${seconds(range[0], 3)} to ${seconds(range[1], 3)})` : "";
    shown.push(`calibrated at ${number(served.load)}: ${seconds(served.json.tpot)}${words}`);
  }
  return { x: x(batch), y: y(at("step")), value: batch, lines: shown, why: "t_step" };
}

function titleOf(ridge: number | null, curve: Answers["curve"], limit: number, bound: Answers["bound"], state: State): string {
  if (limit < 1) return "Not one request fits: the weights alone are too large, or a single context is.";
  if (!bound.fit.fits) return `Memory ends at batch ${number(Math.max(0, Math.floor(limit)))}: ${number(state.batch)} requests do not fit.`;
  const memoryFirst = (curve.figures.memory_time.values[0] ?? 0) >= (curve.figures.compute_time.values[0] ?? 0);
  if (ridge === null) return memoryFirst ? "Memory sets the pace at every batch that fits: another request is almost free." : "Compute sets the pace at every batch: each request costs its own.";
  const at = number(wholeBatch(ridge));
  if (ridge > limit) return `Another request is almost free as far as memory goes: the ridge at ${at} lies beyond it.`;
  return `Up to batch ${at} another request is almost free; past it, each one costs its own compute.`;
}

function tableOf(answers: Answers): Table {
  const curve = answers.curve;
  const names = ["step_time", "weights_time", "kv_time", "compute_time"];
  const byLoad = new Map(answers.loads.filter((one) => fits(one.json)).map((one) => [one.load, one.json]));
  const rows = (curve.x as number[]).map((batch, i) => [batch, ...names.map((name) => curve.figures[name].values[i] as number), null as number | null, null as number | null, null as number | null]);
  for (const [load, json] of byLoad) {
    const range = interval(json, "tpot");
    rows.push([load, ...names.map(() => null as unknown as number), json.tpot, range?.[0] ?? null, range?.[1] ?? null]);
  }
  const columns = [{ name: "batch", unit: "" }, ...names.map((name) => ({ name: `${name}, bound`, unit: "s" })), ...["TPOT, calibrated", "80% low", "80% high"].map((name) => ({ name, unit: "s" }))];
  return { columns, rows };
}

export function badgesOf(answers: Answers): Badge[] {
  const badges: Badge[] = [{ kind: "bound", words: "bound: datasheet peaks, no network" }];
  const served = answers.calibrated;
  if (fits(served)) {
    badges.push({ kind: "calibrated", words: `calibrated: ${served.calibration.engine}` });
    const reasons = beyond(served);
    if (reasons.length > 0) badges.push({ kind: "extrapolated", words: `extrapolated: ${reasons[0]?.replace(" beyond what was measured", "")}`, title: reasons.join("; ") });
  }
  return badges;
}
