// The three numbers of every chip: FLOP a byte, the time to read its memory once, and the scale-up domain.

import type { Json } from "../engine/door";
import { s } from "../dom";
import { number, roundSeconds, seconds } from "../format";
import type { Drawing, Stop } from "./figure";
import { around, dot, logScale, text, xAxis, yAxis, type Area } from "./kit";

const peakOf = (row: Json): Json | undefined => row.formats.find((one: Json) => one.format === "fp8") ?? row.formats[0];

export function chipsChart(answer: Json | null, machine: string, width: number, height: number): Drawing | null {
  const rows: Json[] = (answer?.rows ?? []).filter((row: Json) => row.sweep > 0 && peakOf(row));
  if (rows.length === 0) return null;
  const narrow = width < 600;
  const area: Area = { left: 52, top: 26, right: width - (narrow ? 12 : 60), bottom: height - 44 };
  const x = logScale(around(rows.map((row) => row.sweep)), [area.left, area.right]);
  const y = logScale(around(rows.map((row) => peakOf(row)?.flop_per_byte)), [area.bottom, area.top]);
  const svg = s("svg", {});
  svg.append(yAxis(y, area, { label: number }), xAxis(x, area, { label: roundSeconds, name: narrow ? "" : "to read all of its memory once" }));
  svg.append(text(area.left - 44, 10, "FLOP a byte read, in fp8 where it has it; the size of a mark: chips in one scale-up domain", "t2"));
  const placed: [number, number][] = [];
  const stops: Stop[] = [];
  for (const row of [...rows].sort((a, b) => Number(b.name === machine) - Number(a.name === machine) || b.year - a.year)) {
    const peak = peakOf(row) as Json;
    const [px, py] = [x(row.sweep), y(peak.flop_per_byte)];
    const own = row.name === machine;
    svg.append(dot(px, py, 3 + Math.log2(Math.max(1, row.chips)) * 0.9, own ? "dotc" : "ring"));
    const wide = row.name.length * 6.2 + 14;
    if (own || (!narrow && px + wide < width && !placed.some(([ox, oy]) => Math.abs(oy - py) < 13 && px < ox + wide && ox < px + wide))) {
      placed.push([px, py]);
      svg.append(text(px + 9, py + 4, row.name, own ? "sb th" : "t2 small th"));
    }
    stops.push({
      x: px, y: py, value: row.sweep,
      lines: [row.title, `${number(peak.flop_per_byte, 3)} FLOP a byte in ${peak.format}`, `its memory once in ${seconds(row.sweep, 3)}`, `${number(row.chips)} in one domain${row.network_ratio ? `, ${number(row.network_ratio, 3)}× thinner outside` : ""}`],
    });
  }
  const own = rows.find((row) => row.name === machine);
  return {
    title: own ? `${own.title} computes ${number(peakOf(own)?.flop_per_byte, 3)} FLOP for each byte it reads, and reads all of its memory in ${seconds(own.sweep, 3)}.` : "FLOP a byte grows, and reading a whole memory takes tens of milliseconds.",
    label: `FLOP a byte against the time to read a memory once, of ${rows.length} chips.`, svg, stops, axis: "", top: area.top, bottom: area.bottom,
    badges: [{ kind: "bound", words: "datasheets" }],
    table: {
      columns: [{ name: "chip", unit: "" }, { name: "year", unit: "" }, { name: "FLOP a byte", unit: "" }, { name: "sweep", unit: "s" }, { name: "chips in a domain", unit: "" }, { name: "network ratio", unit: "" }],
      rows: rows.map((row) => [row.name, row.year, peakOf(row)?.flop_per_byte, row.sweep, row.chips, row.network_ratio]),
    },
  };
}
