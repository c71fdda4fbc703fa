// The Pareto frontier of a plan: tok/s/user against output tok/s/GPU, prefill and decode GPUs counted; measured runs beside it.

import type { Answers } from "../answers";
import type { Json } from "../engine/door";
import { s } from "../dom";
import { number, perMillion, seconds, short } from "../format";
import { tokensCounted, type State } from "../state";
import type { Badge, Drawing, Stop } from "./figure";
import { alongLog, band, box, decades, decadeTicks, diamond, dot, evenTicks, line, linearScale, logScale, polyline, text, xAxis, yAxis, type Area, type Point, type Scale } from "./kit";

/** A measured run: one of a file that was dropped, or of the evidence. */
export interface OwnRun {
  name: string;
  tpot: number;
  perChip: number | null; // null: its throughput or its GPUs are not said; it stands on the axis, at its speed
  converted?: boolean; // TPOT from the mean gap between tokens
  tool?: string;
  note?: string;
}

const near = (a: number, b: number): boolean => Math.abs(a - b) <= 0.1 * b;

/** Runs of the evidence of exactly this model, precision, machine, engine and mode, with these lengths: those nearest to the loads asked. */
export function evidenceRuns(answers: Answers, state: State): OwnRun[] {
  const found = new Map<string, OwnRun>();
  for (const { json } of answers.loads) {
    const run = json?.nearest_run;
    if (!run?.same || !Object.values(run.same).every(Boolean) || !(run.tpot > 0) || !near(run.isl, state.isl) || !near(run.osl, state.osl)) continue;
    found.set(run.id, { name: `${run.set} ${run.id}`, tpot: run.tpot, perChip: run.output_tok_s_per_chip, note: `${number(run.concurrency)} in flight, ${number(run.chips)} GPUs${run.ttft > 0 ? `, TTFT ${seconds(run.ttft, 3)}` : ""}` });
  }
  return [...found.values()];
}

export function frontierChart(plan: Json | null, own: OwnRun[], evidence: OwnRun[], state: State, width: number, height: number): Drawing | string | null {
  const counted = tokensCounted(state);
  const basis = state.basis;
  // a rate of total tokens is that of output times the tokens of a request over its output; a cost is divided by it
  const inBasis = (row: Json): Json => ({ ...row, output_tok_s_per_chip: row.output_tok_s_per_chip * counted, cost: row.cost / counted });
  const rows: Json[] = (plan?.frontier ?? []).map(inBasis).sort((a: Json, b: Json) => a.tok_s_per_user - b.tok_s_per_user);
  if (!plan) return null;
  if (rows.length === 0) return "Nothing fits: no layout of this model has room for one request here. Other weights, a shorter context or another machine may.";
  const narrow = width < 600;
  const scaled = (run: OwnRun): OwnRun => ({ ...run, perChip: run.perChip === null ? null : run.perChip * counted });
  const runs = [...own, ...evidence].map(scaled);
  const onAxis = runs.filter((one) => one.perChip === null).length;
  const area: Area = { left: narrow ? 44 : 52, top: 26, right: width - (narrow ? 18 : 64), bottom: height - 44 };
  const rates = rows.map((row) => row.output_tok_s_per_chip as number);
  const wall: Json[] = (plan.frontier_bounds?.[0]?.points ?? []).map((one: Json) => ({ ...one, output_tok_s_per_chip: one.output_tok_s_per_chip * counted }));
  const ceiling: number | null = wall[0]?.output_tok_s_per_chip ?? null;
  const users = rows.map((row) => row.tok_s_per_user as number);
  const fastest = Math.max(...users, ...runs.map((one) => 1 / one.tpot));
  const x = linearScale([0, Math.ceil((fastest * 1.08) / 25) * 25], [area.left, area.right]);
  const y = logScale(decades([...rates, ceiling, ...runs.map((one) => one.perChip)]), [area.bottom, area.top]);
  const svg = s("svg", {});
  const slowest = 1 / state.tpot;
  svg.append(box(area.left, area.top, Math.max(0, Math.min(x(slowest), area.right) - area.left), area.bottom - area.top, "miss"));
  svg.append(yAxis(y, area, {}), xAxis(x, area, { ticks: evenTicks(x.domain, narrow ? 3 : 6) }));
  svg.append(text(area.left - 40, 10, narrow ? `${basis} tok/s/GPU` : `${basis} tok/s/GPU, prefill and decode GPUs counted`, "t2"));
  svg.append(text(area.right, area.bottom + 36, "tok/s/user (1/TPOT)", "t2", "end"));
  if (ceiling !== null) svg.append(boundWall(wall, x, y, area, narrow));
  // a token's cost times a chip's rate is the price of a chip: the same axis, in money
  const perChip = rows[0].cost * rows[0].output_tok_s_per_chip;
  if (!narrow && perChip > 0) {
    svg.append(text(area.right + 8, 10, "= $/Mtok", "t2"));
    for (const tick of decadeTicks(y.domain)) svg.append(text(area.right + 8, y(tick) + 4, perMillion(perChip / tick), "t2"));
  }
  const points: Point[] = rows.map((row) => [x(row.tok_s_per_user), y(row.output_tok_s_per_chip)]);
  svg.append(polyline(points, "front"));
  svg.append(layoutLabels(rows, x, y, area));
  if (slowest < x.domain[1]) {
    svg.append(line(x(slowest), area.top, x(slowest), area.bottom, "hl"));
    const words = `TPOT ≤ ${seconds(state.tpot, 2)}`;
    const wide = 24 + 6.6 * words.length;
    const at = Math.min(Math.max(x(slowest), area.left + wide / 2), area.right - wide / 2);
    svg.append(s("g", { class: "pill" }, box(at - wide / 2, area.bottom + 3, wide, 22, "", 11), text(at, area.bottom + 18, words, "b", "middle")));
  }
  const best = plan.best ? inBasis(plan.best) : null;
  if (best) {
    const [bx, by] = [x(best.tok_s_per_user), y(best.output_tok_s_per_chip)];
    svg.append(dot(bx, by, 9, "ring"), dot(bx, by, 4.5, "dotc"));
    const above = by - 58 > area.top + 20;
    const left = Math.min(bx + 14, area.right - 330);
    if (!narrow) {
      svg.append(line(bx + 4, by - 9, left + 6, by - (above ? 30 : 14), "lead"));
      svg.append(text(left + 8, by - (above ? 48 : 22), `the plan: ${nameOf(best)}`, "sb th"));
      svg.append(text(left + 8, by - (above ? 32 : 6), `${number(best.tok_s_per_user, 3)} tok/s/user, ${number(best.output_tok_s_per_chip)} tok/s/GPU, ${perMillion(best.cost)}/Mtok, TTFT ${seconds(best.ttft, 2)}`, "th"));
    }
  }
  const heightOf = (run: OwnRun) => (run.perChip === null ? area.bottom - 7 : y(run.perChip));
  for (const run of runs) svg.append(diamond(x(1 / run.tpot), heightOf(run), 5, run.perChip === null ? "meas hollow" : "meas"));
  if (onAxis > 0 && !narrow) svg.append(text(x(Math.min(...runs.filter((one) => one.perChip === null).map((one) => 1 / one.tpot))), area.bottom - 18, "measured: speed alone", "t2 small th", "middle"));
  const stops = rows.map((row, i): Stop => ({ x: points[i]?.[0] ?? 0, y: points[i]?.[1] ?? 0, value: row.tok_s_per_user, lines: linesOf(row, basis) }));
  for (const run of runs)
    stops.push({
      x: x(1 / run.tpot), y: heightOf(run), value: 1 / run.tpot,
      lines: [
        runs.indexOf(run) < own.length ? `your run: ${run.name}` : run.name, `${number(1 / run.tpot, 3)} tok/s/user (TPOT ${seconds(run.tpot)}${run.converted ? ", from gaps between tokens" : ""})`,
        run.perChip === null ? "its throughput a GPU is not known" : `${number(run.perChip)} ${basis} tok/s/GPU`, ...(run.note ? [run.note] : []), run.perChip !== null && run.perChip > mostAt(wall, 1 / run.tpot) ? "measured, above the bound: one of the two is wrong" : "measured",
      ],
    });
  stops.sort((a, b) => a.x - b.x);
  const badges: Badge[] = [{ kind: "calibrated", words: `calibrated: best of ${short(plan.searched.evaluated)} deployments` }, { kind: "bound", words: "bound: prefill counted", title: "what no deployment of this machine exceeds at each speed: datasheet peaks, perfect sharding, the FLOP of every prompt counted" }];
  if (evidence.length > 0) badges.push({ kind: "measured", words: `measured: ${evidence.length}${evidence.every((one) => one.perChip === null) ? ", speed alone" : ""}`, title: "runs of the evidence of this model, precision, machine, engine, mode and lengths" });
  if (own.length > 0) badges.push({ kind: "measured", words: `measured: ${own.length} of yours` });
  return {
    title: titleOf(best, rows, state), svg, badges, stops, axis: "", top: area.top, bottom: area.bottom,
    label: `Throughput a GPU against speed for a user: ${rows.length} deployments that no other beats.`,
    table: {
      columns: ["layout", "prefill", "concurrency", "tok/s/user", `${basis} tok/s/GPU`, "TPOT", "TTFT", "cost"].map((name, i) => ({ name, unit: ["", "", "", "", "", "s", "s", `$/${basis} token`][i] ?? "" })),
      rows: [
        ...rows.map((row) => [row.layout.name, row.prefill_layout?.name ?? "", row.concurrency, row.tok_s_per_user, row.output_tok_s_per_chip, row.tpot, row.ttft, row.cost]),
        ...runs.map((run) => [`measured: ${run.name}`, "", null, 1 / run.tpot, run.perChip, run.tpot, null, null]),
      ],
    },
  };
}

/** The bound at a speed, on the line that is drawn; slower than its fullest batch it stays, and beyond the fastest there is nothing. */
function mostAt(wall: Json[], speed: number): number {
  const first = wall[0];
  if (!first) return Infinity;
  if (speed <= first.tok_s_per_user) return first.output_tok_s_per_chip;
  return alongLog(wall.map((one) => one.tok_s_per_user), wall.map((one) => one.output_tok_s_per_chip), speed) ?? 0;
}

/** What cannot be: above the bound, and faster than a batch of one. */
function boundWall(wall: Json[], x: Scale, y: Scale, area: Area, narrow: boolean): SVGGElement {
  const most = wall[0]?.output_tok_s_per_chip as number;
  const edge = mostAt(wall, x.domain[1]);
  const inside = wall.filter((one) => one.tok_s_per_user < x.domain[1]);
  const last = inside.at(-1);
  const end: Point = edge > 0 ? [area.right, y(edge)] : [x(last?.tok_s_per_user ?? 0), area.bottom];
  const points: Point[] = [[area.left, y(most)], ...inside.map((one): Point => [x(one.tok_s_per_user), y(one.output_tok_s_per_chip)]), end];
  const corner: Point[] = edge > 0 ? [] : [[area.right, area.bottom]];
  const group = s("g", { class: "limit" }, band([[area.left, area.top], [area.right, area.top]], [...points, ...corner], "hatch"), polyline(points, "wall open"));
  group.append(text(area.right - 4, y(edge > 0 ? edge : most) + 16, narrow ? `bound ${number(most)}, prefill counted` : `roofline bound ${number(most)}: prefill counted`, "t2 th", "end"));
  return group;
}

const nameOf = (row: Json): string => (row.disaggregated && row.prefill_layout ? `${row.layout.name} decode, ${row.prefill_layout.name} prefill` : row.layout.name);

function linesOf(row: Json, basis: string): string[] {
  return [
    `${nameOf(row)}, ${number(row.concurrency)} in flight`, `${number(row.tok_s_per_user, 3)} tok/s/user (TPOT ${seconds(row.tpot)})`,
    `${number(row.output_tok_s_per_chip, 3)} ${basis} tok/s/GPU, all GPUs counted`, `${perMillion(row.cost)} a million ${basis} tokens, TTFT ${seconds(row.ttft, 3)}`, row.extrapolated ? "calibrated, extrapolated" : "calibrated",
  ];
}

function titleOf(best: Json | null, rows: Json[], state: State): string {
  if (!best) return `No deployment keeps TPOT at ${seconds(state.tpot, 2)}: the fastest reaches ${seconds(rows.at(-1)?.tpot ?? 0, 3)}.`;
  const fastest = rows.at(-1);
  return `Speed for a user is bought with throughput: ${perMillion(best.cost)} a million ${state.basis === "total" ? "total tokens" : "tokens"} at ${number(best.tok_s_per_user, 2)} tok/s, ${perMillion(fastest.cost)} at ${number(fastest.tok_s_per_user, 3)}.`;
}

/** The layout's name where it changes, left out where it would cover another. */
function layoutLabels(rows: Json[], x: (v: number) => number, y: (v: number) => number, area: Area): SVGGElement {
  const group = s("g");
  let last = "";
  const named = new Set<string>();
  const placed: [number, number][] = [];
  for (const row of rows) {
    if (named.has(row.layout.name)) continue;
    last = row.layout.name;
    named.add(last);
    const [px, py] = [x(row.tok_s_per_user), y(row.output_tok_s_per_chip)];
    const wide = 6.5 * last.length + 8;
    if (px + wide > area.right || placed.some(([ox, oy]) => Math.abs(ox - px) < wide + 16 && Math.abs(oy - py) < 18)) continue;
    placed.push([px, py]);
    group.append(line(px, py - 4, px, py + 4, "wall"), text(px + 6, py - 8, last, "t2 small th"));
  }
  return group;
}
