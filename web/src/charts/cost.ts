// $/Mtok against batch: alone is expensive, a floor is approached, memory ends it.

import { beyond, figure, fits, values, type Answers } from "../answers";
import { s } from "../dom";
import { number, perMillion, roundDollars } from "../format";
import type { State } from "../state";
import type { Drawing, Stop } from "./figure";
import { batchHandle } from "./handle";
import { Labels, type Spot } from "./labels";
import { alongLog, box, decades, dot, line, logScale, polyline, text, xAxis, yAxis, type Area, type Point } from "./kit";
import { batchRibbon } from "./ribbon";
import { badgesOf, calibratedLine, limitOf, servedBy } from "./step_time";

export function costChart(answers: Answers, state: State, width: number, height: number): Drawing | null {
  const { curve, bound } = answers;
  if (!curve || !bound || !(figure(bound, "cost") > 0)) return null;
  const narrow = width < 600;
  const area: Area = { left: narrow ? 54 : 60, top: 34, right: width - (narrow ? 8 : 116), bottom: height - 44 };
  const xs: number[] = curve.x;
  const cost = values(curve, "cost");
  const limit = limitOf(curve);
  const served = answers.loads.filter((one) => fits(one.json) && one.json.output_cost > 0);
  const x = logScale([1, xs.at(-1) ?? 1e5], [area.left, area.right]);
  const floor = figure(bound, "cost_floor");
  const y = logScale(decades([floor, figure(bound, "cost_alone"), figure(bound, "cost"), ...cost.filter((_, i) => (xs[i] ?? 0) <= limit), ...served.map((one) => one.json.output_cost)]), [area.bottom, area.top]);
  const svg = s("svg", {});
  svg.append(yAxis(y, area, { label: (tick) => roundDollars(tick * 1e6), name: "$/Mtok" }), xAxis(x, area, { name: narrow ? "batch" : "batch: requests decoding at once" }), batchRibbon(curve, x, area, narrow));
  const cut = "cost-cut";
  svg.append(s("defs", {}, s("clipPath", { id: cut }, box(area.left, area.top, area.right - area.left, area.bottom - area.top, ""))));
  const lines = s("g", { "clip-path": `url(#${cut})` });
  svg.append(lines, line(area.left, y(floor), area.right, y(floor), "floor"));
  const points: Point[] = xs.map((one, i): [number, number] => [one, cost[i] ?? NaN]).filter(([one]) => one <= limit).map(([one, c]) => [x(one), y(c)]);
  const edge = alongLog(xs, cost, limit);
  if (edge !== null && Number.isFinite(limit) && limit >= 1) points.push([x(limit), y(edge)]);
  lines.append(calibratedLine(served, "output_cost", x, y), polyline(points, "stepline"));
  const servedLine = served.map((one): Point => [x(one.load), y(one.json.output_cost)]);
  const labels = new Labels([points, servedLine, [[area.left, y(floor)], [area.right, y(floor)]]], area);
  const write = (words: string, spots: Spot[], kind: string) => {
    const spot = labels.place(words, spots);
    if (spot) svg.append(text(spot.x, spot.y, words, kind, spot.anchor));
  };
  write(`floor ${perMillion(floor)}: compute alone`, [0, 0.3, 0.5].flatMap((share) => [15, -7].map((by) => ({ x: area.left + 6 + (area.right - area.left) * share, y: y(floor) + by }))), "t2 th");
  const alone = figure(bound, "cost_alone");
  const times = figure(bound, "alone_penalty");
  const [ax, ay] = [x(1), y(alone)];
  svg.append(dot(ax, ay, 4, "dotb small"));
  write(narrow ? `alone: ${number(times, 2)}× the floor` : `alone: ${perMillion(alone)}, ${number(times, 2)}× the floor`, [{ x: ax + 10, y: ay - 9 }, { x: ax + 10, y: ay - 26 }, { x: ax + 24, y: ay - 40 }, { x: ax + 10, y: ay + 30 }], "sb th");
  // beside their lines, as far along as there is room: the bound below its own, what is calibrated above
  const beside = (line: Point[], by: number, anchor: "start" | "end"): Spot[] => [0.3, 0.42, 0.2, 0.55, 0.65].flatMap((share): Spot[] => {
    const found = line.find(([px]) => px > area.left + (area.right - area.left) * share);
    return found ? [{ x: found[0] + (anchor === "end" ? -8 : 8), y: found[1] + by, anchor }] : [];
  });
  if (!narrow && served.length > 0) write(`calibrated ${servedBy(served)}`, beside(servedLine, -9, "start"), "sb th");
  if (!narrow) write("roofline bound", [...beside(points, 18, "end"), ...beside(points, -9, "start")], "sb th");
  svg.append(batchHandle(x, area, state.batch));
  if (fits(answers.calibrated)) svg.append(dot(x(state.batch), y(answers.calibrated.output_cost), 5, beyond(answers.calibrated).length > 0 ? "dotb small" : "dotc"));
  svg.append(dot(x(state.batch), y(figure(bound, "cost")), 5.5, "dotb"));
  const stops = xs.map((batch, i): Stop => ({
    x: x(batch), y: y(cost[i] ?? NaN), value: batch, why: "cost",
    lines: [`batch ${number(batch)}: ≥ ${perMillion(cost[i] ?? NaN)} a million output tokens`, "roofline bound, decode alone", batch > limit ? "does not fit" : ""].filter(Boolean),
  }));
  return {
    title: !bound.fit.fits ? `It does not fit: on so few chips a million tokens would cost at least ${perMillion(figure(bound, "cost"))}.` : `A request alone costs ${number(times, 2)} times the floor; at batch ${number(state.batch)} a million tokens cost at least ${perMillion(figure(bound, "cost"))}.`,
    label: `Cost of a million output tokens against batch, both logarithmic. Floor ${perMillion(floor)}.`,
    svg, stops, axis: "batch", top: area.top, bottom: area.bottom, badges: badgesOf(answers),
    table: {
      columns: [{ name: "batch", unit: "" }, { name: "cost, bound", unit: "$/token" }, { name: "cost, calibrated", unit: "$/token" }],
      rows: [...xs.map((batch, i) => [batch, cost[i] ?? null, null]), ...served.map((one) => [one.load, null, one.json.output_cost])],
    },
  };
}
