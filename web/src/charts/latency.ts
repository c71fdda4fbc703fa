// Latencies of a simulated load, as the share of requests that were answered within a time.

import type { Json } from "../engine/door";
import { s } from "../dom";
import { number, percent, roundSeconds, seconds } from "../format";
import type { Drawing, Stop } from "./figure";
import { decades, line, linearScale, logScale, polyline, text, xAxis, yAxis, type Area, type Point } from "./kit";

const shown: [string, string, string][] = [["tpot", "TPOT", "ln hbm"], ["ttft", "TTFT", "ln"], ["e2e", "E2E latency", "ln cmp"]];
const marks: [string, number][] = [["min", 0], ["p50", 0.5], ["p90", 0.9], ["p95", 0.95], ["p99", 0.99], ["max", 1]];

/** Each latency of every request, in order, from the simulator's rows; none where they are not there. */
function sortedTimes(csv: string | undefined): Record<string, Float64Array> {
  const [head = "", ...rows] = (csv ?? "").trim().split("\n");
  const names = head.split(",");
  const columns = { ttft: names.indexOf("ttft_s"), tpot: names.indexOf("tpot_s"), e2e: names.indexOf("e2e_s") };
  const refused = names.indexOf("refused");
  const kept = rows.map((row) => row.split(",")).filter((row) => row[refused] !== "true");
  const times: Record<string, Float64Array> = {};
  for (const [key, at] of Object.entries(columns)) if (at >= 0 && kept.length > 1) times[key] = Float64Array.from(kept.map((row) => Number(row[at])).filter((time) => time > 0)).sort();
  return times;
}

/** A line through so many of them, the ends kept. */
function distribution(times: Float64Array, at: (time: number, share: number) => Point): Point[] {
  const count = Math.min(times.length, 240);
  return Array.from({ length: count }, (_, i) => {
    const share = count === 1 ? 1 : i / (count - 1);
    return at(times[Math.round(share * (times.length - 1))] as number, share);
  });
}

let read: { csv: string | undefined; times: Record<string, Float64Array> } = { csv: undefined, times: {} };

export function latencyChart(answer: Json | null, csv: string | undefined, width: number, height: number): Drawing | null {
  const all = answer?.as_benchmarked;
  if (!all || !(all.ttft?.count > 0)) return null;
  const narrow = width < 600;
  const area: Area = { left: 48, top: 30, right: width - (narrow ? 34 : 90), bottom: height - 44 };
  const x = logScale(decades(shown.flatMap(([key]) => [all[key]?.min, all[key]?.max])), [area.left, area.right]);
  const y = linearScale([0, 1], [area.bottom, area.top]);
  const svg = s("svg", {});
  svg.append(yAxis(y, area, { label: percent, ticks: [0, 0.5, 0.9, 1], name: "" }), xAxis(x, area, { label: roundSeconds, name: "answered within" }));
  svg.append(text(area.left - 40, 12, "share of requests", "t2"));
  const stops: Stop[] = [];
  if (read.csv !== csv) read = { csv, times: sortedTimes(csv) };
  for (const [key, name, kind] of shown) {
    const one = all[key];
    if (!one || !(one.max > 0)) continue;
    const points: Point[] = marks.map(([mark, share]) => [x(one[mark]), y(share)]);
    const times = read.times[key];
    svg.append(polyline(times && times.length > 1 ? distribution(times, (time, share) => [x(time), y(share)]) : points, kind));
    const left = key === "ttft"; // its label stands left of it: E2E latency is right of it
    svg.append(text(x(one.p50) + (left ? -8 : 8), y(0.5) - 6, narrow && key === "e2e" ? "E2E" : name, `sb th${key === "e2e" ? " c-cmp" : key === "tpot" ? " c-hbm" : ""}`, left ? "end" : "start"));
    for (const [mark, share] of marks) stops.push({ x: x(one[mark]), y: y(share), value: one[mark], lines: [`${name}: ${mark} ${seconds(one[mark])}`, `${number(one.count)} requests, simulated (seed ${answer.seed})`] });
  }
  svg.append(line(area.left, y(0.99), area.right, y(0.99), "floor"));
  if (!narrow) svg.append(text(area.right + 8, y(0.99) + 12, "99%", "t2"));
  return {
    title: `Half of the requests wait ${seconds(all.ttft.p50, 3)} for their first token, one in a hundred ${seconds(all.ttft.p99, 3)}.`,
    label: "Share of requests answered within a time, for TPOT, TTFT and E2E latency.", svg, stops, axis: "", top: area.top, bottom: area.bottom,
    badges: [{ kind: "calibrated", words: `simulated on calibrated steps: ${number(answer.finished)} requests, seed ${answer.seed}` }],
    table: {
      columns: [{ name: "latency", unit: "" }, ...marks.map(([mark]) => ({ name: mark, unit: "s" }))],
      rows: shown.map(([key, name]) => [name, ...marks.map(([mark]) => (all[key]?.[mark] ?? null) as number | null)]),
    },
  };
}

/** Requests running and waiting, and the KV cache, through the simulated time. */
export function loadChart(answer: Json | null, width: number, height: number): Drawing | null {
  const timeline = answer?.timeline;
  if (!timeline || timeline.time.length < 2) return null;
  const narrow = width < 600;
  const area: Area = { left: 48, top: 26, right: width - (narrow ? 12 : 90), bottom: height - 44 };
  const times: number[] = timeline.time;
  const x = linearScale([0, times.at(-1) ?? 1], [area.left, area.right]);
  const most = Math.max(1, ...timeline.running, ...timeline.waiting);
  const y = linearScale([0, most * 1.08], [area.bottom, area.top]);
  const svg = s("svg", {});
  svg.append(yAxis(y, area, { label: number }), xAxis(x, area, { label: roundSeconds, name: "simulated time" }));
  svg.append(text(area.left - 40, 12, "requests", "t2"));
  const path = (values: number[]): Point[] => times.map((time, i) => [x(time), y(values[i] ?? 0)]);
  svg.append(polyline(path(timeline.waiting), "ln cmp"), polyline(path(timeline.running), "ln"));
  const peak = (values: number[]) => values.indexOf(Math.max(...values));
  const running = peak(timeline.running);
  const waiting = peak(timeline.waiting);
  svg.append(text(x(times[running] ?? 0) + 6, y(timeline.running[running]) - 5, "running", "sb th"));
  if (timeline.waiting[waiting] > 0) svg.append(text(x(times[waiting] ?? 0) + 6, y(timeline.waiting[waiting]) - 5, "waiting", "c-cmp sb th"));
  const every = Math.max(1, Math.floor(times.length / 60));
  const stops = times.map((time, i): [number, number] => [time, i]).filter(([, i]) => i % every === 0).map(([time, i]): Stop => ({
    x: x(time), value: Math.max(time, 1e-9), lines: [`at ${seconds(time, 3)}`, `${number(timeline.running[i])} running, ${number(timeline.waiting[i])} waiting`, `KV cache ${percent(timeline.kv[i])} full`],
  }));
  return {
    title: answer.saturated ? "The queue grows: this load is more than the deployment answers." : `${number(most)} requests at once at most; the KV cache is ${percent(answer.kv_max)} full at its fullest.`,
    label: "Requests running and waiting through the simulated time.", svg, stops, axis: "simulated", top: area.top, bottom: area.bottom,
    badges: [{ kind: "calibrated", words: "simulated on calibrated steps" }],
    table: { columns: [{ name: "time", unit: "s" }, { name: "running", unit: "" }, { name: "waiting", unit: "" }, { name: "KV cache used", unit: "share" }], rows: times.map((time, i) => [time, timeline.running[i], timeline.waiting[i], timeline.kv[i]]) },
  };
}
