// What the engine said of the scenario on the board. Charts and sentences read this and compute nothing of their own.

import type { EngineError, Json } from "./engine/door";

export interface LoadPoint {
  load: number;
  json: Json; // ridge.serving
}

export interface Answers {
  bound: Json | null; // ridge.why
  curve: Json | null; // ridge.curve along batch
  calibrated: Json | null; // ridge.serving at this batch
  loads: LoadPoint[]; // calibrated along batch
  errors: EngineError[]; // of the bound: no numbers then
  calibratedErrors: EngineError[];
}

export const none: Answers = { bound: null, curve: null, calibrated: null, loads: [], errors: [], calibratedErrors: [] };

export const figure = (json: Json, name: string): number => json.figures[name].value ?? Infinity;
export const values = (curve: Json, name: string): number[] => curve.figures[name].values.map((one: number | null) => one ?? Infinity);

export type Interval = [number, number];

export function interval(serving: Json, name: string, share = "80"): Interval | null {
  return serving?.intervals?.[name]?.[share] ?? null;
}

/** Half the width of an interval over its value, for "±9%". */
export function halfWidth(range: Interval | null, value: number): number | null {
  return range && value > 0 ? (range[1] - range[0]) / 2 / value : null;
}

/** What the calibrated answer was never measured near; empty where it was. */
export const beyond = (serving: Json): string[] => serving?.situation?.unmeasured ?? [];

export const fits = (serving: Json | null): boolean => Boolean(serving && serving.fits && serving.tpot > 0);

export const resource = (binds: string): { name: string; kind: string } =>
  binds === "compute" ? { name: "compute", kind: "c-cmp" } : { name: "HBM", kind: "c-hbm" };

/** A ridge batch is the first whole batch past it. */
export const wholeBatch = (value: number): number => Math.ceil(value - 1e-9);
