// Every assumption in force: what was asked, what it was not asked and is taken for granted, where each number comes from, and
// the control that changes it.

import { fits, type Answers } from "../answers";
import type { Board } from "../board";
import { badge } from "../charts/figure";
import { byId, h, replace } from "../dom";
import type { Json } from "../engine/door";
import { withUnit } from "../format";
import { defaults, type Scenario, type State, type Store } from "../state";
import { choice, numberField, textField } from "./controls";
import type { Shown } from "./panel";

interface Row {
  key: string;
  what: string;
  value: HTMLElement | string;
  from: string;
  yours?: boolean;
  change?: HTMLElement | null;
}

const formats = ["fp8", "bf16", "nvfp4", "mxfp4", "int8", "int4"];
export const engines = ["sglang", "vllm", "trtllm"];

/** The parts of the scenario that the sentence does not say, and those that a fact follows from. */
const labels: Partial<Record<keyof Scenario, string>> = {
  weights: "format of the weights", kv: "format of the KV cache", chips: "GPUs that share a step", engine: "engine of the calibrated reading",
  layout: "layout of the calibrated reading", price: "dollars a GPU-hour", tpot: "TPOT of the frontier at most, ms",
};

/** Which control an input of the engine follows from. */
function follows(key: string): string {
  if (/^kv\./.test(key)) return "assume-kv";
  if (/^width\./.test(key)) return "assume-weights";
  if (/^price$/.test(key)) return "value-price";
  if (/^(matmul|hbm)/.test(key)) return "value-machine";
  return key === "utilization" ? "" : "value-model";
}

export class Assumptions implements Shown {
  readonly id = "assumptions";
  readonly name = "Assumptions";
  readonly element: HTMLElement;
  #store: Store;
  #board: () => Board;
  #title = h("h2", { class: "fttl" }, "Assumptions");
  #asked = h("tbody");
  #known = h("tbody");
  #seen = false;
  #shown = "";

  constructor(store: Store, board: () => Board) {
    this.#store = store;
    this.#board = board;
    const head = (words: string) => h("thead", {}, h("tr", {}, h("th", { scope: "col" }, words), h("th", { scope: "col" }, "value"), h("th", { scope: "col" }, "from"), h("th", { scope: "col" }, "change")));
    this.element = h("section", { id: this.id, class: "wrap panel", "aria-label": this.name }, this.#title, h("table", { class: "assumed" }, head("what was asked, or left to a default"), this.#asked), h("table", { class: "assumed" }, head("what follows from it"), this.#known));
    this.element.addEventListener("focusout", () => setTimeout(() => this.refresh()));
    new IntersectionObserver((entries) => {
      this.#seen = entries.some((one) => one.isIntersecting);
      this.refresh();
    }, { rootMargin: "300px 0px" }).observe(this.element);
  }

  refresh(): void {
    const { bound, calibrated } = this.#board().answers;
    const key = JSON.stringify([this.#store.state, bound?.case.inputs, calibrated?.calibration]);
    if (!bound || key === this.#shown || (!this.#seen && this.#shown !== "")) return; // once at the beginning, so that nothing moves when it comes into sight
    const active = document.activeElement;
    if (active instanceof HTMLInputElement && this.element.contains(active) && active.value !== active.defaultValue) return; // somebody types: afterwards
    this.#shown = key;
    this.draw();
  }

  draw(): void {
    const { answers } = this.#board();
    if (!answers.bound) return;
    const held = (document.activeElement as HTMLElement | null)?.id ?? "";
    const asked = askedRows(this.#store, answers);
    const known = knownRows(answers);
    replace(this.#asked, asked.map(rowOf));
    replace(this.#known, known.map(rowOf));
    const yours = asked.filter((one) => one.yours).length;
    const assumed = known.filter((one) => /^(assumed|default)/.test(one.from)).length;
    this.#title.textContent = `${yours === 0 ? "Nothing is changed" : `${yours} ${yours === 1 ? "thing is" : "things are"} yours`}: of ${asked.length + known.length} assumptions ${asked.length - yours} are this board's defaults, ${assumed} ${assumed === 1 ? "is" : "are"} assumed, and the rest has a source.`;
    if (held.startsWith("assume-")) document.getElementById(held)?.focus();
  }
}

function rowOf(row: Row): HTMLElement {
  return h("tr", { "data-assumed": row.key }, h("th", { scope: "row" }, row.what), h("td", { class: row.yours ? "mine" : null }, row.value), h("td", { class: "t2" }, row.from), h("td", {}, row.change ?? null));
}

function askedRows(store: Store, answers: Answers): Row[] {
  const { state } = store;
  const { bound } = answers;
  const inputs = bound.case.inputs;
  const served = fits(answers.calibrated) ? answers.calibrated : null;
  const price: Json = inputs.price;
  const set = (change: Partial<State>) => store.commit(change);
  const controls: Partial<Record<keyof Scenario, [HTMLElement, string]>> = {
    weights: [choice("", ["as released", ...formats], () => state.weights || "as released", (value) => set({ weights: value === "as released" ? "" : value })), `the checkpoint: ${bound.case.formats.weights}`],
    kv: [choice("", formats, () => state.kv, (value) => set({ kv: value })), "this board"],
    chips: [numberField("", state.chips ?? inputs.chips.value, 1, 100_000, (value) => set({ chips: value })), `the machine's scale-up domain: ${sourceOf(inputs.chips)}`],
    engine: [choice("", engines, () => state.engine, (value) => set({ engine: value })), "this board"],
    layout: [textField(state.layout, served?.layout.name ?? "none fits", (value) => set({ layout: value })), "experts over as many GPUs of the domain as divide them, prefill on GPUs of its own; a dense model on the fewest that hold it"],
    price: [numberField("", +((state.price ?? price.value * 3600) as number).toPrecision(6), 0.001, 1e5, (value) => set({ price: value }), 0.01), state.price === null ? sourceOf(price) : "the machine's price"],
    tpot: [numberField("", +(state.tpot * 1e3).toPrecision(6), 0.5, 10_000, (value) => set({ tpot: value / 1e3 }), 0.1), "this board"],
  };
  return (Object.keys(controls) as (keyof typeof controls)[]).map((key): Row => {
    const [control, usual] = controls[key] as [HTMLElement, string];
    const field = control.querySelector("select, input");
    field?.setAttribute("id", `assume-${key}`);
    field?.setAttribute("aria-label", labels[key] ?? key);
    const yours = state[key] !== defaults[key];
    const reset = h("button", { type: "button", class: "link", onclick: () => set({ [key]: defaults[key] }) }, "back to the default");
    return { key, what: labels[key] ?? key, value: control, from: yours ? `yours; otherwise ${usual}` : `default: ${usual}`, yours, change: yours ? reset : null };
  });
}

function knownRows(answers: Answers): Row[] {
  const inputs = Object.entries(answers.bound.case.inputs as Record<string, Json>).filter(([key, one]) => !["batch", "context", "price", "chips"].includes(key) && (one.value !== 0 || one.kind === "user"));
  const rows = inputs.map(([key, one]): Row => ({ key, what: one.meaning, value: withUnit(one.value, one.unit), from: sourceOf(one), change: linkTo(follows(key), key) }));
  const served = fits(answers.calibrated) ? answers.calibrated : null;
  if (!served) return rows;
  const beside = (key: string, what: string, value: HTMLElement | string, from: string): Row => ({ key, what, value, from, change: linkTo("assume-engine", key) });
  return [
    ...rows, beside("calibration.chip", "kernels of the calibrated reading", badge({ kind: "calibrated", words: "fitted" }), served.calibration.chip), beside("calibration.engine", "the engine around them", badge({ kind: "calibrated", words: "fitted" }), served.calibration.engine),
    beside("memory.usable", "memory of a GPU that the engine uses", withUnit(served.memory.usable, "B"), `default: ${served.engine}'s own share of ${withUnit(served.memory.capacity, "B")}`),
  ];
}

/** To the control that this follows from: the sentence's, or one above. */
function linkTo(control: string, key: string): HTMLElement {
  if (control === "") return h("code", {}, `ridge why … --set ${key}=…`);
  const words: Record<string, string> = { "value-machine": "another machine", "value-model": "another model", "value-price": "another price", "assume-kv": "KV format", "assume-weights": "format of the weights", "assume-engine": "another engine" };
  const go = () => {
    const found = byId(control);
    found.scrollIntoView({ block: "center" });
    found.focus();
  };
  return h("button", { type: "button", class: "link", onclick: go }, words[control] ?? "change", h("span", { class: "sr" }, ` for ${key}`));
}

/** "datasheet: inferencex-gpu-specs, chip/gb200.toml:8; fp8 peak" */
function sourceOf(one: Json): string {
  const where = one.source === "default" ? one.note : `${one.source}${one.place ? `, ${one.place}` : ""}${one.note ? `; ${one.note}` : ""}`;
  return `${one.kind === "user" ? "yours" : one.kind}: ${where}`;
}
