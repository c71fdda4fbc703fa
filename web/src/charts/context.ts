// Cost of a token against context, with the steps that a price sheet makes over it.

import type { Json } from "../engine/door";
import { s } from "../dom";
import { number, perMillion, roundDollars, short } from "../format";
import type { Drawing, Stop } from "./figure";
import { decades, line, logScale, polyline, text, xAxis, yAxis, type Area, type Point } from "./kit";

export interface PriceStep {
  from: number; // tokens
  to?: number; // tokens
  output: number; // $/token
}

export function contextChart(answer: Json | null, steps: PriceStep[], sheet: string, width: number, height: number): Drawing | null {
  const model = answer?.models?.[0];
  if (!model) return null;
  const narrow = width < 600;
  const area: Area = { left: narrow ? 54 : 60, top: 30, right: width - (narrow ? 16 : 116), bottom: height - 44 };
  const points: Json[] = model.points.filter((one: Json) => one.cost > 0);
  if (points.length === 0) return null;
  const x = logScale([1e3, 1e7], [area.left, area.right]);
  const y = logScale(decades([...points.map((one) => one.cost), ...steps.map((one) => one.output)]), [area.bottom, area.top]);
  const svg = s("svg", {});
  svg.append(yAxis(y, area, { label: (tick) => roundDollars(tick * 1e6), name: "$/Mtok" }), xAxis(x, area, { name: narrow ? "context, tokens" : "context: tokens that each new token reads" }));
  const balance = model.balance_context as number | null;
  const doubles = model.doubles_at as number | null;
  const marks = ([[balance, "KV reads = compute"], [doubles, "cost doubled"]] as const).flatMap(([at, words]) => (at !== null && at >= 1e3 && at <= 1e7 ? [{ at, words }] : []));
  const beside = Math.max(...marks.map((one) => x(one.at)), area.left) + 5; // both names right of both lines: they may stand close
  marks.forEach(({ at, words }, i) => svg.append(line(x(at), area.top, x(at), area.bottom, "ridge"), text(beside, area.bottom - 24 + 16 * i, `${words} at ${number(at)}`, "t2 th")));
  svg.append(polyline(points.map((one): Point => [x(one.context), y(one.cost)]), "stepline"));
  if (!narrow) svg.append(text(area.right + 8, Math.max(area.top + 6, y(points.at(-1)?.cost)) + 4, "bound", "sb"));
  if (steps.length > 0) {
    const stairs: Point[] = [];
    steps.forEach((step) => {
      const [from, to] = [Math.max(1e3, step.from), Math.min(step.to ?? 1e6, 1e7)];
      stairs.push([x(from), y(step.output)], [x(to), y(step.output)]);
    });
    svg.append(polyline(stairs, "ln net"));
    const [lx, ly] = stairs[0] ?? [area.left, area.top];
    svg.append(text(lx + 4, ly - 8, narrow ? `${sheet.split("/").at(-1)}` : `${sheet}: output, as sold`, "c-net sb th"));
    for (const step of steps.slice(1)) svg.append(text(x(step.from) + 6, y(step.output) - 8, `above ${short(step.from)}`, "c-net th"));
  }
  const stops = points.map((one): Stop => ({
    x: x(one.context), y: y(one.cost), value: one.context,
    lines: [`context ${number(one.context)}: ≥ ${perMillion(one.cost)} a million output tokens`, `batch ${number(one.batch)} on ${number(one.chips)} chips, as many as fit`, "roofline bound"],
  }));
  const grows = doubles !== null && doubles < 1e7 ? `its cost doubles at ${number(doubles)} tokens` : "its cost hardly grows";
  return {
    title: `A longer context makes every token more expensive: ${grows}.`, label: "Cost of an output token against context, both logarithmic.",
    svg, stops, axis: "context", top: area.top, bottom: area.bottom,
    badges: [{ kind: "bound", words: "bound: the largest batch that fits" }, ...(steps.length > 0 ? [{ kind: "note" as const, words: "a price is not a cost" }] : [])],
    table: {
      columns: [{ name: "context", unit: "token" }, { name: "batch", unit: "" }, { name: "cost, bound", unit: "$/token" }, { name: "output as sold, above this context", unit: "$/token" }],
      rows: [...points.map((one) => [one.context, one.batch, one.cost, null]), ...steps.map((step, i) => [i === 0 ? 0 : step.from, null, null, step.output])],
    },
  };
}
