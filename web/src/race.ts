// One decode step as bars: the two clocks of the bound, or where a calibrated step goes.

import { figure, fits, type Answers } from "./answers";
import { h, replace } from "./dom";
import { seconds } from "./format";
import type { State } from "./state";

interface Part {
  name: string;
  time: number;
  kind: string;
}

interface Row {
  name: string;
  kind: string;
  parts: Part[];
  time: number;
  note?: string;
}

export function showRace(parent: HTMLElement, answers: Answers, state: State): void {
  const { bound, calibrated } = answers;
  if (!bound) return replace(parent);
  const served = fits(calibrated) ? calibrated : null;
  const reading = state.read === "calibrated" && served;
  const rows = reading ? calibratedRows(served, bound) : boundRows(bound, served);
  const longest = Math.max(...rows.map((row) => row.time));
  const head = reading ? `where ${seconds(rows[0]?.time ?? served.tpot)} go, ${served.layout.name}` : `${seconds(figure(bound, "step_time"))}, the longer bar`;
  replace(parent, h("div", { class: "lab" }, h("b", {}, "One decode step"), h("span", {}, head)), rows.map((row) => rowElement(row, longest)));
}

function rowElement(row: Row, longest: number): HTMLElement {
  const track = h("span", { class: "track" });
  for (const part of row.parts) {
    const share = (part.time / longest) * 100;
    if (share < 0.3) continue;
    const bar = h("i", { class: part.kind, title: `${part.name} ${seconds(part.time)}` }, share > 4 + 2.6 * part.name.length ? part.name : "");
    bar.style.width = `${share}%`;
    track.append(bar);
  }
  if (row.note && (row.time / longest) * 232 + 6 * row.note.length < 238) track.append(h("span", { class: "note" }, row.note)); // where it has room
  return h("div", { class: "row" }, h("b", { class: row.kind }, row.name), track, h("span", { class: "num", "data-race": row.name, "data-value": row.time }, seconds(row.time)));
}

function boundRows(bound: Answers["bound"], served: Answers["calibrated"]): Row[] {
  const of = (name: string) => figure(bound, name);
  const rows: Row[] = [
    { name: "HBM", kind: "c-hbm", time: of("memory_time"), parts: [{ name: "weights", time: of("weights_time"), kind: "i-w" }, { name: "KV cache", time: of("kv_time"), kind: "i-kv" }] },
    {
      name: "compute", kind: "c-cmp", time: of("compute_time"),
      parts: [{ name: "dense", time: of("dense_time"), kind: "i-c1" }, { name: "experts", time: of("experts_time"), kind: "i-c2" }, { name: "attention", time: of("attention_time"), kind: "i-c3" }],
    },
  ];
  const network = served?.decode_step?.bound_network;
  if (network > 0) rows.push({ name: "network", kind: "c-net", time: network, parts: [{ name: "", time: network, kind: "i-n" }], note: "not in this bound" });
  return rows;
}

function calibratedRows(served: Answers["calibrated"], bound: Answers["bound"]): Row[] {
  const step = served.decode_step;
  const parts = step.parts as Record<string, number>;
  const take = (name: string, ...keys: string[]): Part => ({ name, time: keys.reduce((sum, key) => sum + (parts[key] ?? 0), 0), kind: "" });
  const named = [
    { ...take("experts", "routed_experts"), kind: "i-k" }, { ...take("attn", "attention"), kind: "i-k2" },
    { ...take("proj", "qkv_and_output", "dense_ffn", "lm_head"), kind: "i-k3" }, { ...take("net", "all_to_all", "all_reduce", "pipeline_hops"), kind: "i-k5" },
    { ...take("rest", "small_kernels"), kind: "i-k4" },
  ];
  const overhead = step.step_time - Object.values(parts).reduce((sum, time) => sum + time, 0);
  if (overhead > 0) named.push({ name: "CPU", time: overhead, kind: "i-k2" });
  const interference = served.prefill_share > 0 ? Math.max(0, served.tpot - step.step_time) : 0;
  if (interference > 0) named.push({ name: "prefill interference", time: interference, kind: "i-k4" });
  return [
    { name: "engine", kind: "", time: step.step_time + interference, parts: named },
    { name: "layout", kind: "", time: step.bound, parts: [{ name: "", time: step.bound, kind: "i-w" }], note: "this layout at peak" },
    { name: "roofline", kind: "", time: figure(bound, "step_time"), parts: [{ name: "", time: figure(bound, "step_time"), kind: "i-w" }], note: "perfect sharding" },
  ];
}
