// What a price sheet implies: intervals before and after reading it. Never a point without its interval.

import type { Json } from "../engine/door";
import { s } from "../dom";
import { dollars, number, percent, withUnit } from "../format";
import type { Drawing, Stop } from "./figure";
import { box, line, logScale, text } from "./kit";

const shown = ["kv", "kv_per_active", "balance_context", "active", "total", "sparsity", "flop_price", "markup", "batch", "mfu.prefill"];

/** Names that fit beside their bars. */
const said: Record<string, string> = { kv_per_active: "KV bytes/token per 1B active", balance_context: "context where KV reads equal compute", sparsity: "total over active", flop_price: "price of a FLOP", batch: "batch" };

/** An interval; one narrower than the digits shown is one value, exact under the prior. */
function between(low: number, high: number, unit: string): string {
  const [a, b] = [written(low, unit), written(high, unit)];
  return a === b ? `${a} exactly` : `${a} to ${b}`;
}

function written(value: number, unit: string): string {
  if (unit === "B/token/param") return withUnit(value * 1e9, "B/token");
  if (unit === "$/FLOP") return `${dollars(value * 1e18)}/EFLOP`;
  if (unit === "token") return number(value);
  return unit === "" ? (value >= 100 ? number(value) : `${+value.toPrecision(3)}`) : withUnit(value, unit);
}

const rowPitch = (width: number): number => (width < 600 ? 42 : 26);

export function inferChart(answer: Json | null, width: number, _height: number): Drawing | null {
  if (!answer?.quantities) return null;
  const narrow = width < 600;
  const left = narrow ? 2 : 270; // narrow: the bar below its name
  const right = width - (narrow ? 4 : 190);
  const pitch = rowPitch(width);
  const svg = s("svg", {});
  const stops: Stop[] = [];
  const rows = shown.filter((key) => answer.quantities[key]);
  rows.forEach((key, i) => {
    const one = answer.quantities[key];
    const y = (narrow ? 34 : 24) + i * pitch;
    const [low, high]: [number, number] = one.prior;
    const wide = high > low * 1.0001;
    const x = logScale(wide ? [low, high] : [low / 2, high * 2], [left, right]);
    svg.append(text(0, narrow ? y - 12 : y + 4, said[key] ?? one.meaning, one.narrowed > 0.2 ? "sb" : "t2"));
    svg.append(line(x(low), y, x(high), y, "axis"));
    const [from, to]: [number, number] = one.interval;
    svg.append(box(x(from) - 1, y - 5, Math.max(2, x(to) - x(from) + 2), 10, one.narrowed > 0.2 ? "f-hbm" : "f-ink3"));
    const words = wide ? between(from, to, one.unit) : `${written(from, one.unit)}, assumed`;
    svg.append(narrow ? text(width, y - 12, words, one.narrowed > 0.2 ? "sb" : "t2", "end") : text(right + 8, y + 4, words, one.narrowed > 0.2 ? "sb" : "t2"));
    stops.push({ x: x(from), y, value: i + 1, lines: [`${one.meaning} (${one.symbol})`, `${words}; ${one.narrowed > 0.2 ? `narrowed ${percent(one.narrowed)} by the sheet` : "the sheet does not narrow it"}`, `prior: ${written(low, one.unit)} to ${written(high, one.unit)}`] });
  });
  const kv = answer.quantities.kv;
  return {
    title: kv?.narrowed > 0.2 ? `The sheet of ${answer.model} implies KV cache of ${between(kv.interval[0], kv.interval[1], kv.unit)}, if its price break is a cost${answer.prior === "lecture" ? " and the lecture assumes right" : ""}.` : `What the sheet of ${answer.model} leaves open: every value on a bar explains its prices.`,
    label: `Intervals of ${rows.length} quantities before and after reading the price sheet.`, svg, stops, axis: "", top: 10, bottom: 24 + rows.length * pitch,
    badges: [{ kind: "note", words: `${answer.prior === "lecture" ? "with the lecture's assumptions" : "of a provider of which little is known"}; ${number(answer.samples.accepted)} of ${number(answer.samples.drawn)} samples agree; a price is not a cost` }],
    table: {
      columns: [{ name: "quantity", unit: "" }, { name: "unit", unit: "" }, { name: "low", unit: "" }, { name: "high", unit: "" }, { name: "prior low", unit: "" }, { name: "prior high", unit: "" }],
      rows: rows.map((key) => { const one = answer.quantities[key]; return [one.meaning, one.unit, one.interval[0], one.interval[1], one.prior[0], one.prior[1]]; }),
    },
  };
}

export const inferHeight = (answer: Json | null, width: number): number => 40 + rowPitch(width) * shown.filter((key) => !answer || answer.quantities?.[key]).length;
