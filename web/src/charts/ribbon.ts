// The ribbon above every axis of batches: what binds where, and where memory ends.

import type { Json } from "../engine/door";
import { s } from "../dom";
import { number } from "../format";
import { box, line, text, type Area, type Scale } from "./kit";

export function batchRibbon(curve: Json, x: Scale, area: Area, narrow: boolean): SVGGElement {
  const group = s("g");
  const most = curve.marks.capacity_limit ?? Infinity;
  const limit = Math.max(1, most);
  const flip = curve.marks.flip_batch as number | null;
  const end = Math.min(x(limit), area.right);
  const memoryFirst = (curve.figures.memory_time.values[0] ?? 0) >= (curve.figures.compute_time.values[0] ?? 0);
  const turn = flip === null || flip < 1 ? end : Math.min(x(flip), end);
  const kinds = memoryFirst ? (["hbm", "cmp"] as const) : (["cmp", "hbm"] as const);
  const words = { hbm: "HBM-bound", cmp: "compute-bound" };
  const top = area.top - 8;
  group.append(box(area.left, top, turn - area.left - 1, 4, `f-${kinds[0]}`));
  const long = !narrow && turn - area.left > 260 && kinds[0] === "hbm" ? `${words.hbm}: one more request is almost free` : words[kinds[0]];
  if (turn - area.left > 70) group.append(text(area.left, top - 6, long, `c-${kinds[0]} sb`));
  if (end - turn > 2) {
    group.append(box(turn + 1, top, end - turn - 2, 4, `f-${kinds[1]}`));
    if (end - turn > 86) group.append(text(turn + 2, top - 6, words[kinds[1]], `c-${kinds[1]} sb`));
  }
  if (end < area.right - 1) {
    group.append(box(end, top, area.right - end, 4, "f-cap"));
    group.append(box(end, area.top, area.right - end, area.bottom - area.top, "hatch"), line(end, area.top, end, area.bottom, "edge"));
    const label = most < 1 ? "does not fit at any batch" : `does not fit above ${number(Math.floor(limit))}`;
    const room = area.right - end > 150;
    if (room) group.append(text(end + 4, top - 6, label, "t2 sb"));
    else if (!narrow) group.append(text(area.right + 110, top - 6, label, "t2 sb", "end"));
  }
  return group;
}
