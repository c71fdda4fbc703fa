// A pipeline schedule through time: a row a rank, the bubble hatched.

import type { Json } from "../engine/door";
import { s } from "../dom";
import { number, percent, roundSeconds, seconds } from "../format";
import type { Drawing, Stop } from "./figure";
import { box, linearScale, text, xAxis, type Area } from "./kit";

interface Operation {
  rank: number;
  name: string;
  kind: string;
  start: number; // s
  time: number;
}

/** Operations of a trace for Perfetto, as `ridge schedule --trace-out` writes it. */
export function operationsOf(trace: string): Operation[] {
  const events: Json[] = JSON.parse(trace).traceEvents;
  return events.filter((one) => one.ph === "X").map((one) => ({ rank: one.pid, name: one.name, kind: one.cat, start: one.ts / 1e6, time: one.dur / 1e6 }));
}

const looks: Record<string, string> = { forward: "f-hbm", backward: "f-cmp", "input gradient": "f-cmp", "weight gradient": "f-cmp3", input_gradient: "f-cmp", weight_gradient: "f-cmp3", pair: "f-net" };

export function scheduleChart(answer: Json | null, trace: string | undefined, width: number, height: number): Drawing | null {
  if (!answer || !trace) return null;
  const operations = operationsOf(trace);
  const ranks: Json[] = answer.ranks;
  const area: Area = { left: 52, top: 20, right: width - 8, bottom: height - 30 };
  const x = linearScale([0, answer.makespan], [area.left, area.right]);
  const high = (area.bottom - area.top) / ranks.length;
  const svg = s("svg", {});
  ranks.forEach((rank, i) => {
    svg.append(text(area.left - 8, area.top + (i + 0.5) * high + 4, `rank ${rank.rank}`, "t2", "end"));
    svg.append(box(area.left, area.top + i * high + 1, area.right - area.left, high - 2, "hatch"));
  });
  const stops: Stop[] = [];
  for (const one of operations) {
    const y = area.top + one.rank * high + 1;
    svg.append(box(x(one.start), y, Math.max(0.5, x(one.start + one.time) - x(one.start) - 0.5), high - 2, looks[one.kind] ?? "f-ink2"));
    if (operations.length <= 5000) stops.push({ x: x(one.start + one.time / 2), y: y + high / 2, value: one.start + one.time / 2, lines: [`rank ${one.rank}: ${one.name}, ${one.kind}`, `${seconds(one.start, 3)} to ${seconds(one.start + one.time, 3)}`] });
  }
  svg.append(xAxis(x, { ...area, top: area.bottom }, { label: roundSeconds }));
  return {
    title: `${answer.schedule}: ${percent(answer.idle_share)} of the time is bubble; ${number(answer.peak_live_microbatches)} micro-batches are kept at once.`,
    label: `Pipeline timeline of ${ranks.length} ranks over ${seconds(answer.makespan, 3)}; ${percent(answer.idle_share)} idle.`,
    svg, stops, axis: "", top: area.top, bottom: area.bottom,
    badges: [{ kind: "note", words: "blue forward, orange backward, light weight gradients; hatched: the bubble" }],
    table: { columns: [{ name: "rank", unit: "" }, { name: "busy", unit: "s" }, { name: "bubble of makespan", unit: "s" }, { name: "live micro-batches", unit: "" }], rows: ranks.map((rank) => [rank.rank, rank.busy, rank.bubble_of_makespan, rank.peak_live_microbatches]) },
  };
}
