// Why: a number's derivation in symbols, in numbers, the source of each constant, and what would flip the verdict.

import { fits, type Answers } from "./answers";
import { h, replace } from "./dom";
import type { Client } from "./engine/client";
import { jsonOf, lineOf, type Json, type Request } from "./engine/door";
import { percent, withUnit } from "./format";
import { boundOf, calibratedOf, groundOf } from "./questions";
import type { State } from "./state";

interface Derived {
  formula: string;
  numbers: string;
  shown: string;
  operands: Record<string, number>;
  value: number;
  unit: string;
}

const deepest = 8;
const titles: Record<string, string> = { t_step: "t_step", tok_s_per_user: "tok/s/user", output_tok_s_per_chip: "tok/s/GPU", cost: "$/Mtok", memory_needed: "memory", TPOT: "TPOT" };
const servedTargets: Record<string, [string, string]> = { tok_s_per_user: ["tpot", "TPOT"], t_step: ["tpot", "TPOT"] };

export class Why {
  readonly element = h("section", { class: "why", hidden: true, "aria-label": "Why", tabindex: "-1" });
  #client: Client;
  #from: HTMLElement | null = null;
  onClose: () => void = () => {};

  constructor(client: Client) {
    this.#client = client;
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
  }

  get open(): boolean {
    return !this.element.hidden;
  }

  close(): void {
    if (this.element.hidden) return;
    this.element.hidden = true;
    this.onClose();
    this.#from?.focus();
  }

  async show(asked: string, answers: Answers, state: State): Promise<void> {
    const { bound } = answers;
    if (!bound) return;
    const target = bound.derivation[asked] ? asked : "t_step";
    this.#from = document.activeElement as HTMLElement | null;
    const served = servedTargets[target];
    if (state.read === "calibrated" && served && fits(answers.calibrated)) return this.#showServed(served, answers, state);
    const request = boundOf(state);
    const shown = this.#equations(bound.derivation, target);
    const head = this.#head(bound.derivation[target]?.shown ?? "", "bound");
    const flips = h("div", { class: "flip" }, h("span", {}, "asking …"), h("b"), h("em"));
    const other = bound.verdict.binds === "compute" ? "HBM" : "compute";
    replace(
      this.element, head, shown.parts, h("h3", {}, "Where each number comes from"), sourcesOf(bound, shown.symbols),
      h("h3", {}, `What would flip it to ${other}-bound`), flips, h("code", { class: "cmd" }, `${lineOf(request)} --derive ${figureOf(target)}`),
    );
    this.#reveal();
    await this.#showFlips(flips, bound, request);
  }

  async #showServed([figure, symbol]: [string, string], answers: Answers, state: State): Promise<void> {
    const request = calibratedOf(state, groundOf(answers.bound));
    const asked: Request = { ...request, options: { ...request.options, derive: figure } };
    const json = jsonOf(await this.#client.ask(asked, "derivation"));
    const derivation = json?.derivation;
    if (!derivation) return;
    const shown = this.#equations(derivation, symbol);
    const { calibration } = answers.calibrated;
    replace(
      this.element, this.#head(derivation[symbol]?.shown ?? "", "calibrated"), shown.parts,
      h("h3", {}, "Where each number comes from"), h("table", {}, h("tbody", {}, h("tr", {}, h("td", {}, "kernels"), h("td", {}, ""), h("td", {}, calibration.chip)), h("tr", {}, h("td", {}, "engine"), h("td", {}, ""), h("td", {}, calibration.engine)))),
      h("code", { class: "cmd" }, lineOf(asked)),
    );
    this.#reveal();
  }

  #reveal(): void {
    this.element.hidden = false;
    this.element.focus();
  }

  #head(shown: string, kind: string): HTMLElement {
    return h("header", {}, h("h2", {}, `Why ${shown}?`), h("span", { class: `badge ${kind}` }, kind), h("button", { type: "button", class: "x", onclick: () => this.close() }, "Close (Esc)"));
  }

  /** The equation of a figure and of what stands in it, breadth first. */
  #equations(derivation: Record<string, Derived>, target: string): { parts: HTMLElement[]; symbols: Set<string> } {
    const queue = [target];
    const seen = new Set<string>();
    const symbols = new Set<string>();
    const parts: HTMLElement[] = [];
    while (queue.length > 0 && parts.length < deepest) {
      const name = queue.shift() as string;
      const one = derivation[name];
      if (seen.has(name) || !one) continue;
      seen.add(name);
      parts.push(equation(name, one));
      for (const operand of Object.keys(one.operands)) (derivation[operand] ? queue.push(operand) : symbols.add(operand));
    }
    return { parts, symbols };
  }

  /** Inputs whose change turns the verdict, as the engine found them, the smallest change first. */
  async #showFlips(parent: HTMLElement, bound: Json, request: Request): Promise<void> {
    const asked: Request = { ...request, options: { ...request.options, sensitivity: true } };
    const flips: Json[] = jsonOf(await this.#client.ask(asked, "flips", "slow"))?.flips ?? [];
    const name = (key: string) => bound.case.inputs[key]?.meaning ?? key;
    const by = (one: Json) => Math.abs(Math.log(one.factor));
    const rows = [...flips].sort((a, b) => by(a) - by(b)).slice(0, 6);
    replace(parent, rows.length === 0 ? h("span", {}, "no one input alone") : rows.map((one) => [
      h("span", {}, name(one.input)), h("b", { "data-flip": one.input, "data-value": one.to }, withUnit(one.to, one.unit === "token" ? "" : one.unit)), h("em", {}, signed(one.factor - 1)),
    ]));
  }
}

/** The engine writes plain letters. */
const micro = (words: string): string => words.replaceAll(/(?<=\d )us\b/g, "µs");
const signed = (share: number): string => `${share >= 0 ? "+" : "−"}${percent(Math.abs(share))}`;
/** The symbol under which a derivation has a figure of the program. */
export const symbolOf = (figure: string): string => ({ step: "t_step", step_time: "t_step", tpot: "t_step", memory_time: "t_memory", compute_time: "t_compute" })[figure] ?? figure;
const figureOf = (symbol: string): string => ({ t_step: "step_time", t_memory: "memory_time", t_compute: "compute_time" })[symbol] ?? symbol;

function equation(name: string, one: Derived): HTMLElement {
  const kind = /^(t_compute|c_|c$|t_dense|t_experts|t_attention)/.test(name) ? "c-cmp" : /^(t_memory|t_weights|t_kv|weights|kv|m_)/.test(name) ? "c-hbm" : "";
  return h(
    "div", { class: "eq", "data-symbol": name, "data-formula": one.formula, "data-operands": JSON.stringify(one.operands), "data-value": one.value },
    h("span", { class: `sym ${kind}` }, `${titles[name] ?? name} = ${one.formula}`), h("span", { class: "val" }, `= ${micro(one.numbers)} `, h("span", { class: "res" }, `= ${micro(one.shown)}`)),
  );
}

function sourcesOf(bound: Json, symbols: Set<string>): HTMLElement {
  const inputs: Json[] = Object.values(bound.case.inputs);
  const rows = [...symbols].map((symbol) => inputs.find((one) => one.symbol === symbol)).filter(Boolean);
  return h("table", {}, h("tbody", {}, rows.map((one: Json) => {
    const yours = one.kind === "user";
    const value = withUnit(one.value, one.unit);
    const from = yours ? "yours" : [one.note, one.source === "default" ? "" : `${one.kind}: ${one.source}`, one.place].filter(Boolean).join("; ");
    return h("tr", {}, h("td", {}, one.symbol), h("td", {}, yours ? h("span", { class: "y" }, value) : value), h("td", {}, `${one.meaning}. ${from}`));
  })));
}
