// The questions that a scenario asks of the engine, each one line of `ridge`.

import type { Json, Options, Request } from "./engine/door";
import { contextOf, type Scenario } from "./state";

const ask = (command: string, args: string[], options: Options): Request => ({ command, arguments: args, options });

function priced(one: Scenario): Options {
  return one.price === null ? {} : { price: `$${one.price}/h` };
}

function formats(one: Scenario): Options {
  const options: Options = {};
  if (one.weights !== "") options.weights = one.weights;
  if (one.kv !== "") options.kv = one.kv;
  return options;
}

function shared(one: Scenario): Options {
  return { ...(one.chips === null ? {} : { chips: String(one.chips) }), ...formats(one), ...priced(one) };
}

/** The roofline bound of a decode step. */
export function boundOf(one: Scenario): Request {
  const options = { on: one.machine, batch: String(one.batch), context: String(contextOf(one)), ...shared(one) };
  return ask("why", [one.model], options);
}

/** Where the axis of batches ends: the same for every batch up to it, so that it holds still in a drag. */
export const batchEnd = (one: Scenario): number => Math.max(1e5, 10 ** Math.ceil(Math.log10(one.batch)));

export function batchCurveOf(one: Scenario): Request {
  const options = { on: one.machine, context: String(contextOf(one)), ...shared(one) };
  return ask("curve", ["batch", one.model], { ...options, min: "1", max: String(batchEnd(one)), points: "61" });
}

/** Facts of the bound's answer that choose a layout. */
export interface Ground {
  experts: number;
  chips: number;
}

export function groundOf(bound: Json): Ground {
  const inputs = bound.case.inputs;
  return { experts: inputs["experts.count"]?.value ?? 0, chips: inputs.chips.value };
}

/** Experts over as much of the domain as divides them, attention beside; a dense model on the fewest chips that hold it. */
function usualLayout(ground: Ground): Options {
  if (ground.experts <= 1 || ground.chips < 2) return {};
  let wide = 1;
  while (wide * 2 <= ground.chips && ground.experts % (wide * 2) === 0) wide *= 2;
  return wide < 2 ? {} : { dp: String(wide), ep: String(wide), disaggregated: true };
}

/** "dp64 ep64 disaggregated" as options. */
export function layoutOptions(text: string): Options {
  const options: Options = {};
  for (const word of text.split(/\s+/)) {
    const match = /^(tp|pp|dp|ep|cp)(\d+)$/.exec(word);
    if (match) options[match[1] as string] = match[2] as string;
    else if (word === "disaggregated") options.disaggregated = true;
  }
  return options;
}

/** A deployment under an engine, calibrated. */
export function calibratedOf(one: Scenario, ground: Ground, concurrency = one.batch): Request {
  const layout = one.layout === "" ? usualLayout(ground) : layoutOptions(one.layout);
  const load = { isl: String(one.isl), osl: String(one.osl), concurrency: String(concurrency) };
  return ask("why", [one.model], { on: one.machine, ...layout, ...load, engine: one.engine, ...formats(one), ...priced(one) });
}

export const calibratedLoads = [1, 4, 16, 64, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536];

export function planOf(one: Scenario): Request {
  const load = { isl: String(one.isl), osl: String(one.osl), engine: one.engine, tpot: `${+(one.tpot * 1e3).toPrecision(6)}ms` };
  return ask("plan", [one.model], { on: one.machine, ...load, ...formats(one), ...priced(one) });
}

export function contextCurveOf(one: Scenario): Request {
  return ask("context", [one.model], { on: one.machine, min: "1000", max: "10000000", ...shared(one) });
}

export function layoutOf(one: Scenario): Request {
  const options = { on: one.machine, batch: String(one.batch), context: String(contextOf(one)), ...formats(one) };
  return ask("layout", [one.model], options);
}

export function tierOf(one: Scenario): Request {
  const options: Options = { on: one.machine, context: String(one.isl) };
  if (one.kv !== "") options.kv = one.kv;
  return ask("tier", [one.model], options);
}

export function simulationOf(one: Scenario, ground: Ground, requests: number, seed: number): Request {
  const { options } = calibratedOf(one, ground, Math.min(one.batch, 4096));
  const { price: _price, ...rest } = options;
  return ask("simulate", [one.model], { ...rest, requests: String(requests), seed: String(seed), csv: "requests.csv" });
}

/** The same deployment under recorded requests: the trace says who sends what. */
export function replayOf(one: Scenario, ground: Ground, trace: string, requests: number, seed: number): Request {
  const { isl: _isl, osl: _osl, concurrency: _concurrency, ...rest } = simulationOf(one, ground, requests, seed).options;
  return ask("simulate", [one.model], { ...rest, trace });
}

export const listOf = (what: string): Request => ask("list", [what], {});
export const claimsOf = (): Request => ask("claims", [], {});
export const chipsOf = (): Request => ask("chips", [], {});
export const lifecycleOf = (): Request => ask("lifecycle", [], {});
/** What a sheet implies: one of the catalog, or a file that was dropped. */
export const inferOf = (sheet: string, own = false, prior = "lecture"): Request => (own ? ask("infer", [], { sheet, prior }) : ask("infer", [sheet], { prior }));
export const schedulesOf = (stages: number, microbatches: number): Request =>
  ask("schedule", [], { stages: String(stages), microbatches: String(microbatches) });
export const scheduleOf = (name: string, stages: number, microbatches: number): Request =>
  ask("schedule", [name], { stages: String(stages), microbatches: String(microbatches), "trace-out": "schedule.json" });
export const trainingOf = (model: string, machine: string, chips: number, tokens: string): Request =>
  ask("train", [model], { on: machine, chips: String(chips), tokens });
