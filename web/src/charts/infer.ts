// What a price sheet implies: intervals before and after reading it. Never a point without its interval.

import type { Json } from "../engine/door";
import { s } from "../dom";
import { number, percent, withUnit } from "../format";
import type { Drawing, Stop } from "./figure";
import { box, line, logScale, text } from "./kit";

const shown = ["kv", "kv_per_active", "balance_context", "active", "total", "sparsity", "flop_price", "markup", "batch", "mfu.prefill"];

export function inferChart(answer: Json | null, width: number, _height: number): Drawing | null {
  if (!answer?.quantities) return null;
  const narrow = width < 600;
  const left = narrow ? 118 : 270;
  const right = width - (narrow ? 8 : 150);
  const svg = s("svg", {});
  const stops: Stop[] = [];
  const rows = shown.filter((key) => answer.quantities[key]);
  rows.forEach((key, i) => {
    const one = answer.quantities[key];
    const y = 24 + i * 26;
    const [low, high]: [number, number] = one.prior;
    const wide = high > low * 1.0001;
    const x = logScale(wide ? [low, high] : [low / 2, high * 2], [left, right]);
    svg.append(text(0, y + 4, narrow ? one.symbol : shortened(one.meaning), one.narrowed > 0.2 ? "sb" : "t2"));
    svg.append(line(x(low), y, x(high), y, "axis"));
    const [from, to]: [number, number] = one.interval;
    svg.append(box(x(from) - 1, y - 5, Math.max(2, x(to) - x(from) + 2), 10, one.narrowed > 0.2 ? "f-hbm" : "f-ink3"));
    const words = wide || one.narrowed > 0 ? `${withUnit(from, one.unit)} to ${withUnit(to, one.unit)}` : `${withUnit(from, one.unit)}, assumed`;
    if (!narrow) svg.append(text(right + 8, y + 4, one.narrowed > 0.2 ? `narrowed ${percent(one.narrowed)}` : "not narrowed", "t2"));
    stops.push({ x: x(from), y, value: i + 1, lines: [`${one.meaning} (${one.symbol})`, words, `believed before: ${withUnit(low, one.unit)} to ${withUnit(high, one.unit)}`] });
  });
  const kv = answer.quantities.kv;
  return {
    title: kv ? `The sheet of ${answer.model} implies ${withUnit(kv.interval[0], kv.unit)} to ${withUnit(kv.interval[1], kv.unit)} of KV cache, if its price break is a cost.`.replace(/(\S+ \S+) to \1 /, "$1 (its interval is narrower than that) ") : `What the sheet of ${answer.model} implies.`,
    label: `Intervals of ${rows.length} quantities before and after reading the price sheet.`, svg, stops, axis: "", top: 10, bottom: 24 + rows.length * 26,
    badges: [{ kind: "note", words: `prior ${answer.prior}; ${number(answer.samples.accepted)} of ${number(answer.samples.drawn)} samples agree; a price is not a cost` }],
    table: {
      columns: [{ name: "quantity", unit: "" }, { name: "unit", unit: "" }, { name: "low", unit: "" }, { name: "high", unit: "" }, { name: "prior low", unit: "" }, { name: "prior high", unit: "" }],
      rows: rows.map((key) => { const one = answer.quantities[key]; return [one.meaning, one.unit, one.interval[0], one.interval[1], one.prior[0], one.prior[1]]; }),
    },
  };
}

const shortened = (words: string): string => (words.length > 42 ? `${words.slice(0, 40).trimEnd()}…` : words);

export const inferHeight = (answer: Json | null): number => 40 + 26 * shown.filter((key) => answer?.quantities?.[key]).length;
