// The four answers: each a bound, a calibrated figure with its interval, and the nearest measured run, on one strip.

import { beyond, figure, fits, halfWidth, interval, type Answers } from "./answers";
import { box, diamond, dot, line, logScale } from "./charts/kit";
import { h, replace, s } from "./dom";
import type { Json } from "./engine/door";
import { gib, number, percent, perMillion, seconds } from "./format";
import { tokensCounted, type State } from "./state";

interface Tile {
  id: string;
  name: string;
  note: string;
  sign: "≤" | "≥";
  bound: number;
  calibrated: number | null;
  range: [number, number] | null; // of the calibrated figure, 80%
  measured: number | null;
  open: boolean; // the calibrated figure is extrapolated
  show: (value: number) => string;
  domain: [number, number];
  why: string;
}

const width = 180;

export function showTiles(parent: HTMLElement, answers: Answers, state: State, onWhy: (figure: string) => void): void {
  const { bound } = answers;
  if (!bound || !bound.fit.fits) return replace(parent);
  replace(parent, tilesOf(answers, state).map((tile) => tileElement(tile, state.read, onWhy)), memoryTile(answers, onWhy));
}

function tilesOf(answers: Answers, state: State): Tile[] {
  const { bound } = answers;
  const served = fits(answers.calibrated) ? answers.calibrated : null;
  const open = beyond(served).length > 0;
  const tpot = interval(served, "tpot");
  const run = served?.nearest_run;
  const same = Boolean(run?.same && Object.values(run.same).every(Boolean)); // drawn only where it is of the same kind
  const total = state.basis === "total";
  const counted = tokensCounted(state);
  const throughput = served ? (total ? served.total_tok_s_per_chip : served.output_tok_s_per_chip) : null;
  const rates = interval(served, "output_tok_s");
  // beside a calibrated deployment stands the bound of that deployment, prefill counted as it is there
  const wall: Json | null = state.read === "calibrated" && served ? served.bound : null;
  const scaled = (by: number): [number, number] | null => (rates && served ? [(rates[0] / served.output_tok_s) * by, (rates[1] / served.output_tok_s) * by] : null);
  return [
    {
      id: "user", name: "tok/s/user", note: `TPOT ${seconds(state.read === "calibrated" && served ? served.tpot : figure(bound, "step_time"))}`, sign: "≤", bound: wall ? wall.tok_s_per_user : figure(bound, "tok_s_per_user"),
      calibrated: served?.tok_s_per_user ?? null, range: tpot ? [1 / tpot[1], 1 / tpot[0]] : null, measured: same ? run.tok_s_per_user : null, open,
      show: (value) => number(value, 3), domain: [3, 20000], why: "tok_s_per_user",
    },
    {
      id: "chip", name: "tok/s/GPU", note: total ? "total, in and out" : wall ? "output" : "output, decode", sign: "≤", bound: (wall ? wall.output_tok_s_per_chip : figure(bound, "output_tok_s_per_chip")) * counted,
      calibrated: throughput, range: throughput === null ? null : scaled(throughput), measured: same && run.output_tok_s_per_chip ? run.output_tok_s_per_chip * counted : null, open,
      show: (value) => number(value, 3), domain: [10, 30000], why: "output_tok_s_per_chip",
    },
    {
      id: "cost", name: "$/Mtok", note: "output, decode", sign: "≥", bound: figure(bound, "cost"),
      calibrated: served?.output_cost ?? null, range: interval(served, "output_cost"), measured: null, open,
      show: perMillion, domain: [2e-8, 2e-4], why: "cost",
    },
  ];
}

function tileElement(tile: Tile, read: State["read"], onWhy: (figure: string) => void): HTMLElement {
  const first = read === "calibrated" && tile.calibrated !== null;
  const value = first ? (tile.calibrated as number) : tile.bound;
  const spread = tile.calibrated === null ? null : halfWidth(tile.range, tile.calibrated);
  const around = spread === null ? "" : `±${percent(spread)}`;
  const rangeWords = tile.range ? `80% of like runs: ${tile.show(tile.range[0])} to ${tile.show(tile.range[1])}` : "";
  const big = h(
    "button", { type: "button", class: "big num", title: first ? rangeWords : "why?", onclick: () => onWhy(tile.why) },
    first ? null : h("small", {}, tile.sign), h("span", { "data-answer": tile.id, "data-value": value }, tile.show(value)), first && around ? h("span", { class: "pm" }, around) : null,
    h("span", { class: "sr" }, ` ${tile.name}: why?`),
  );
  const evidence = h("div", { class: "ev" });
  if (first) evidence.append(h("span", {}, mark("wall"), h("b", { "data-wall": tile.id, "data-value": tile.bound }, `${tile.sign} ${tile.show(tile.bound)}`)));
  else if (tile.calibrated !== null)
    evidence.append(h("span", { title: rangeWords }, mark(tile.open ? "open" : "dot"), h("b", { "data-calibrated": tile.id, "data-value": tile.calibrated }, tile.show(tile.calibrated)), ` ${around}`));
  else evidence.append(h("span", { class: "t2" }, "no calibrated answer"));
  if (tile.measured !== null) evidence.append(h("span", {}, mark("diamond"), h("b", {}, tile.show(tile.measured)), h("span", { class: "word" }, " nearest")));
  else if (!first && tile.id === "chip" && tile.calibrated !== null) evidence.append(h("span", { class: "t2" }, "prefill GPUs too"));
  return h("div", { class: "ans" }, h("div", { class: "lab" }, h("b", {}, tile.name), h("span", {}, tile.note)), big, stripOf(tile), evidence);
}

function stripOf(tile: Tile): SVGSVGElement {
  const seen = [tile.bound, tile.calibrated, tile.measured].filter((one): one is number => one !== null && one > 0 && Number.isFinite(one));
  const domain: [number, number] = [Math.min(tile.domain[0], ...seen.map((one) => one / 2)), Math.max(tile.domain[1], ...seen.map((one) => one * 2))];
  const x = logScale(domain, [0, width]);
  const wall = x(tile.bound);
  const svg = s("svg", { class: "strip", viewBox: `0 0 ${width} 22`, preserveAspectRatio: "none", "aria-hidden": "true" });
  if (tile.sign === "≤") svg.append(line(0, 7, wall, 7, "axis"), box(wall, 1, width - wall, 20, "hatch"));
  else svg.append(line(wall, 7, width, 7, "axis"), box(0, 1, wall, 20, "hatch"));
  svg.append(line(wall, 0, wall, 22, "wall"));
  if (tile.range) svg.append(line(x(tile.range[0]), 7, x(tile.range[1]), 7, "whisk"));
  if (tile.calibrated !== null) svg.append(dot(x(tile.calibrated), 7, tile.open ? 4 : 4.5, tile.open ? "dotb small" : "dotc"));
  if (tile.measured !== null) svg.append(diamond(x(tile.measured), 17, 4.5, "meas"));
  return svg;
}

function memoryTile(answers: Answers, onWhy: (figure: string) => void): HTMLElement {
  const { bound } = answers;
  const served = answers.calibrated;
  const { needed, capacity } = bound.fit;
  const share = needed / capacity;
  const weights = figure(bound, "weights_stored") / capacity;
  const svg = s("svg", { class: "strip", viewBox: `0 0 ${width} 22`, preserveAspectRatio: "none", "aria-hidden": "true" });
  svg.append(box(0.5, 4.5, width - 1, 11, "trough"), box(0, 4, weights * width, 12, "f-hbm"), box(weights * width + 1, 4, (share - weights) * width, 12, "f-kv"));
  svg.append(line(share * width, 0, share * width, 20, "wall"));
  const evidence = h("div", { class: "ev" });
  if (served?.memory && fits(served)) {
    const held = served.memory.sequences;
    evidence.append(h("span", {}, mark("dot"), h("b", { "data-calibrated": "sequences", "data-value": held }, number(Math.floor(held))), ` fit as ${served.layout.name}`));
  }
  return h(
    "div", { class: "ans" },
    h("div", { class: "lab" }, h("b", {}, "HBM"), h("span", {}, `${gib(needed)} of ${gib(capacity)} GiB`)),
    h("button", { type: "button", class: "big num", title: "why?", onclick: () => onWhy("memory_needed") }, h("small", {}, "≥"), h("span", { "data-answer": "memory", "data-value": needed }, percent(share)), h("span", { class: "sr" }, " of memory: why?")),
    svg, evidence,
  );
}

function mark(kind: "dot" | "open" | "wall" | "diamond"): SVGSVGElement {
  const shape = {
    dot: () => dot(5, 5, 4, "dotc"), open: () => dot(5, 5, 3.2, "dotb small"),
    wall: () => line(8, 0, 8, 10, "wall"), diamond: () => diamond(5, 5, 5, "meas"),
  }[kind]();
  return s("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" }, shape);
}
