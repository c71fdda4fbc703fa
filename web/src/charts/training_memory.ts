// Memory of a training run by stage, against what a chip has.

import type { Json } from "../engine/door";
import { s } from "../dom";
import { gib, number } from "../format";
import type { Drawing, Stop } from "./figure";
import { box, line, linearScale, text, xAxis, type Area } from "./kit";

const parts: [string, string, string][] = [
  ["weights", "weights", "f-hbm"], ["gradients", "gradients", "f-hbm2"], ["optimizer", "optimizer", "f-hbm3"],
  ["activations", "activations", "f-cmp2"], ["logits", "logits", "f-cmp3"], ["buffers", "buffers", "f-ink3"],
];

export function trainingMemoryChart(answer: Json | null, width: number, height: number): Drawing | null {
  const memory = answer?.memory;
  const stages: Json[] = memory?.stages ?? [];
  if (stages.length === 0) return null;
  const area: Area = { left: 60, top: 24, right: width - 12, bottom: height - 40 };
  const most = Math.max(memory.capacity, ...stages.map((stage) => stage.peak));
  const x = linearScale([0, most / 2 ** 30], [area.left, area.right]);
  const high = Math.min(26, (area.bottom - area.top) / stages.length);
  const svg = s("svg", {});
  svg.append(xAxis(x, { ...area, bottom: area.top + high * stages.length }, { label: (tick) => number(tick), name: "GiB of a chip" }));
  const stops: Stop[] = [];
  const first = stages[0] as Json;
  let from = 0;
  let free = 0; // where the last name ended
  for (const [key, name] of parts) {
    const amount = (first[key] ?? 0) / 2 ** 30;
    const start = Math.max(x(from), free);
    from += amount;
    if (amount <= 0 || x(from) - x(from - amount) < 12 || start > x(from)) continue;
    svg.append(text(start, area.top - 5, name, "t2 small"));
    free = start + 6.4 * name.length + 8;
  }
  stages.forEach((stage, i) => {
    const y = area.top + i * high;
    if (high > 10 || i % Math.ceil(12 / high) === 0) svg.append(text(area.left - 8, y + high / 2 + 4, `stage ${stage.stage + 1}`, "t2 small", "end"));
    let at = 0;
    for (const [key, , kind] of parts) {
      const amount = (stage[key] ?? 0) / 2 ** 30;
      if (amount <= 0) continue;
      svg.append(box(x(at), y + 1, x(at + amount) - x(at) - 0.5, Math.max(1, high - 2), kind));
      at += amount;
    }
    stops.push({ x: x(stage.peak / 2 ** 30), y: y + high / 2, value: i + 1, lines: [`stage ${stage.stage + 1}: ${gib(stage.peak)} GiB at its peak`, ...parts.filter(([key]) => stage[key] > 0).map(([key, name]) => `${name} ${gib(stage[key])} GiB`)] });
  });
  const wall = x(memory.capacity / 2 ** 30);
  svg.append(line(wall, area.top - 6, wall, area.top + high * stages.length, "wall"), text(wall - 4, area.top - 5, `a chip has ${gib(memory.capacity)} GiB`, "t2", "end"));
  const layout = answer.estimate?.layout;
  return {
    title: memory.fits ? `The fullest stage needs ${gib(memory.needed)} of ${gib(memory.capacity)} GiB.` : `It does not fit: ${gib(memory.needed)} of ${gib(memory.capacity)} GiB.`,
    label: `Memory by pipeline stage, ${stages.length} stages.`, svg, stops, axis: "", top: area.top - 6, bottom: area.top + high * stages.length,
    badges: [
      { kind: "calibrated", words: answer.calibration ?? "calibrated" },
      { kind: "note", words: layout ? `TP${layout.tp} PP${layout.pp} CP${layout.cp} DP${layout.dp}` : "" },
    ],
    table: { columns: [{ name: "stage", unit: "" }, ...parts.map(([, name]) => ({ name, unit: "B" })), { name: "peak", unit: "B" }], rows: stages.map((stage) => [stage.stage, ...parts.map(([key]) => stage[key] ?? 0), stage.peak]) },
  };
}
