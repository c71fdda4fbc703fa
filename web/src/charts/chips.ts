// The three numbers of every chip: FLOP a byte, the time to read its memory once, and the scale-up domain.

import type { Json } from "../engine/door";
import { s } from "../dom";
import { number, roundSeconds, seconds } from "../format";
import type { Drawing, Stop } from "./figure";
import { around, dot, line, logScale, text, xAxis, yAxis, type Area } from "./kit";

type Anchor = "start" | "middle" | "end";

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const boxAround = ([px, py]: [number, number], radius: number): Box => ({ left: px - radius, right: px + radius, top: py - radius, bottom: py + radius });
const meet = (a: Box, b: Box): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

const peakOf = (row: Json): Json | undefined => row.formats.find((one: Json) => one.format === "fp8") ?? row.formats[0];

export function chipsChart(answer: Json | null, machine: string, width: number, height: number): Drawing | null {
  const rows: Json[] = (answer?.rows ?? []).filter((row: Json) => row.sweep > 0 && peakOf(row));
  if (rows.length === 0) return null;
  const narrow = width < 600;
  const area: Area = { left: 52, top: 26, right: width - (narrow ? 12 : 60), bottom: height - 44 };
  const x = logScale(around(rows.map((row) => row.sweep)), [area.left, area.right]);
  const y = logScale(around(rows.map((row) => peakOf(row)?.flop_per_byte)), [area.bottom, area.top]);
  const svg = s("svg", {});
  svg.append(yAxis(y, area, { label: number }), xAxis(x, area, { label: roundSeconds, name: "to read all of its memory once" }));
  svg.append(text(area.left - 44, 10, narrow ? "FLOP a byte read; size: chips in a domain" : "FLOP a byte read, in fp8 where it has it; the size of a mark: chips in one scale-up domain", "t2"));
  const stops: Stop[] = [];
  const order = [...rows].sort((a, b) => Number(b.name === machine) - Number(a.name === machine) || b.chips - a.chips || b.year - a.year);
  const radius = (row: Json) => 3 + Math.log2(Math.max(1, row.chips)) * 0.9;
  const at = (row: Json): [number, number] => [x(row.sweep), y(peakOf(row)?.flop_per_byte)];
  for (const row of order) svg.append(dot(...at(row), radius(row), row.name === machine ? "dotc" : "ring"));
  // a name stands right, left, above or below its mark, where it covers neither a mark nor another name; else it waits for the hand
  const taken: Box[] = order.map((row) => boxAround(at(row), radius(row)));
  for (const row of order) {
    const [px, py] = at(row);
    const wide = row.name.length * 6.7;
    const gap = radius(row) + 4;
    const places: [Box, Anchor][] = [
      [{ left: px + gap, right: px + gap + wide, top: py - 6, bottom: py + 6 }, "start"], [{ left: px - gap - wide, right: px - gap, top: py - 6, bottom: py + 6 }, "end"],
      [{ left: px - wide / 2, right: px + wide / 2, top: py - gap - 12, bottom: py - gap }, "middle"], [{ left: px - wide / 2, right: px + wide / 2, top: py + gap, bottom: py + gap + 12 }, "middle"],
    ];
    if (row.name === machine) for (const far of [26, 40, 60, 90]) for (const side of [-1, 1]) places.push([{ left: px + far * side - (side < 0 ? wide : 0), right: px + far * side + (side > 0 ? wide : 0), top: py - far - 6, bottom: py - far + 6 }, side < 0 ? "end" : "start"]);
    const free = places.find(([box]) => box.left > area.left && box.right < width && box.top > area.top - 8 && box.bottom < area.bottom && !taken.some((one) => meet(one, box)));
    if (!free) continue;
    const [box, anchor] = free;
    taken.push(box);
    if (places.indexOf(free) > 3) svg.append(line(px, py, anchor === "end" ? box.right : box.left, box.bottom, "lead"));
    svg.append(text(anchor === "start" ? box.left : anchor === "end" ? box.right : px, (box.top + box.bottom) / 2 + 4, row.name, row.name === machine ? "sb small th" : "t2 small th", anchor));
  }
  for (const row of order) {
    const peak = peakOf(row) as Json;
    const [px, py] = at(row);
    stops.push({
      x: px, y: py, value: row.sweep,
      lines: [row.title, `${number(peak.flop_per_byte, 3)} FLOP a byte in ${peak.format}`, `its memory once in ${seconds(row.sweep, 3)}`, `${number(row.chips)} in one domain${row.network_ratio ? `, ${number(row.network_ratio, 3)}× thinner outside` : ""}`],
    });
  }
  const own = rows.find((row) => row.name === machine);
  return {
    title: own ? `${own.title.replace(/,.*/, "")}: ${number(peakOf(own)?.flop_per_byte, 3)} FLOP for each byte read, and ${seconds(own.sweep, 3)} to read all of its memory.` : "FLOP a byte grows, and reading a whole memory takes tens of milliseconds.",
    label: `FLOP a byte against the time to read a memory once, of ${rows.length} chips.`, svg, stops, axis: "", top: area.top, bottom: area.bottom,
    badges: [{ kind: "bound", words: "datasheets" }],
    table: {
      columns: [{ name: "chip", unit: "" }, { name: "year", unit: "" }, { name: "FLOP a byte", unit: "" }, { name: "sweep", unit: "s" }, { name: "chips in a domain", unit: "" }, { name: "network ratio", unit: "" }],
      rows: rows.map((row) => [row.name, row.year, peakOf(row)?.flop_per_byte, row.sweep, row.chips, row.network_ratio]),
    },
  };
}
