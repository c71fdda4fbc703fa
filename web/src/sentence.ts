// The sentence is the interface. Its subject holds the inputs, in yellow; its predicate is the verdict.

import { figure, fits, resource, wholeBatch, type Answers } from "./answers";
import { h, replace } from "./dom";
import { dollars, gib, number, percent } from "./format";
import { pick } from "./picker";
import { draggable } from "./number_field";
import type { Catalog } from "./catalog";
import type { Store, Scenario } from "./state";

export class Sentence {
  readonly element = h("h1", { class: "say" });
  readonly mini = h("div", { class: "mini", "aria-hidden": "true" });
  #subject = h("span", { class: "sub" });
  #verdict = h("span", { class: "is", "aria-live": "polite" });
  #fields: Record<string, HTMLElement> = {};
  #said = "";
  #store: Store;
  #catalog: Catalog;

  constructor(store: Store, catalog: Catalog) {
    this.#store = store;
    this.#catalog = catalog;
    this.element.append(this.#subject, " ", this.#verdict);
    this.#build();
  }

  #build(): void {
    const store = this.#store;
    const name = (key: "model" | "machine" | "weights", label: string) =>
      (this.#fields[key] = pick(`value-${key}`, label, () => this.#catalog.choices(key, store.state), (value) => store.commit({ [key]: value })));
    const value = (key: "batch" | "isl" | "osl" | "price", label: string) => (this.#fields[key] = draggable(store, key, label));
    replace(
      this.#subject,
      name("model", "model"), " in ", name("weights", "format of the weights"), " on ", h("span", { "data-article": true }, "one "), name("machine", "machine"),
      ", decoding ", value("batch", "batch: requests decoding at once"), " requests of ", value("isl", "input tokens of a request"),
      " tokens in and ", value("osl", "output tokens of a request"), " out at ", value("price", "dollars a GPU-hour"), " a GPU-hour,",
    );
  }

  show(answers: Answers): void {
    const one = this.#store.state;
    const { bound } = answers;
    this.#set("model", this.#catalog.title("model", one.model));
    this.#set("machine", this.#catalog.title("machine", one.machine));
    this.#set("weights", one.weights || shortFormat(bound?.case.formats.weights ?? "fp8"));
    this.#set("batch", number(one.batch), one.batch);
    this.#set("isl", number(one.isl), one.isl);
    this.#set("osl", number(one.osl), one.osl);
    const price = one.price ?? (bound ? bound.case.inputs.price.value * 3600 : null);
    this.#set("price", price === null || price === 0 ? "no price" : dollars(price), price ?? undefined);
    const verdict = verdictOf(answers, one, this.#store.state.read);
    const said = JSON.stringify([verdict, one.model, one.weights, one.machine, one.batch, one.isl, one.osl, bound?.case.formats.weights, this.#catalog.title("model", one.model), this.#catalog.title("machine", one.machine)]);
    if (said === this.#said) return; // while a hand moves and the engine has not answered
    this.#said = said;
    replace(this.#verdict, verdict.verb, " ", h("span", { class: verdict.kind, "data-binds": verdict.binds }, verdict.what), h("span", { class: "rest" }, verdict.rest));
    const strong = (words: string) => h("b", {}, words);
    replace(
      this.mini, strong(this.#catalog.title("model", one.model)), ` ${one.weights || shortFormat(bound?.case.formats.weights ?? "")}, `, strong(this.#catalog.title("machine", one.machine)),
      ", ", strong(number(one.batch)), " requests of ", strong(number(one.isl)), " / ", strong(number(one.osl)), ": ", h("b", { class: verdict.kind }, verdict.what),
    );
  }

  #set(key: string, words: string, now?: number): void {
    const field = this.#fields[key];
    if (!field) return;
    if (field.dataset.editing === undefined && field.textContent !== words) field.textContent = words;
    const label = field.dataset.label ? `${words}, ${field.dataset.label}` : "";
    if (label !== "" && field.getAttribute("aria-label") !== label) field.setAttribute("aria-label", label);
    if (now !== undefined && field.getAttribute("role") === "slider") {
      field.setAttribute("aria-valuenow", String(now));
      field.setAttribute("aria-valuetext", words);
    }
  }
}

/** "fp8-block128" as people say it. */
export const shortFormat = (format: string): string => format.replace(/-(block|scale)\d+$/, "");

interface Verdict {
  verb: string;
  what: string;
  kind: string;
  rest: string;
  binds: string;
}

function verdictOf(answers: Answers, one: Scenario, read: string): Verdict {
  const { bound, calibrated, errors } = answers;
  if (errors.length > 0) return { verb: "has", what: "no answer", kind: "c-bad", rest: `: ${errors[0]?.what ?? ""}`, binds: "" };
  if (!bound) return { verb: "is", what: "…", kind: "", rest: "", binds: "" };
  if (!bound.fit.fits) {
    const ways = bound.fit.ways_out.length;
    const words = ["no", "one", "two", "three", "four", "five", "six"][ways] ?? String(ways);
    const out = ways === 0 ? "" : ` ${words[0]?.toUpperCase()}${words.slice(1)} way${ways === 1 ? "" : "s"} out, each one click.`;
    return { verb: "does", what: "not fit", kind: "c-bad", rest: `: ${gib(bound.fit.shortfall)} GiB short.${out}`, binds: "" };
  }
  if (read === "calibrated" && fits(calibrated)) return calibratedVerdict(answers);
  const { binds, other_share: share, flip_batch: flip } = bound.verdict;
  const here = resource(binds);
  const other = resource(binds === "compute" ? "memory" : "compute");
  const at = flip === null || flip === undefined ? null : number(wholeBatch(flip));
  const turn = at === null ? "" : binds === "compute" ? ` and binds below batch ${at}` : one.batch < flip ? ` and takes over at batch ${at}` : "";
  return { verb: "is", what: `${here.name}-bound`, kind: here.kind, rest: `: ${other.name} is at ${percent(share)}${turn}.`, binds };
}

function calibratedVerdict(answers: Answers): Verdict {
  const step = answers.calibrated.decode_step;
  const names: Record<string, string> = { routed_experts: "experts", attention: "attention", all_to_all: "all-to-all", qkv_and_output: "projections", dense_ffn: "dense FFN", lm_head: "LM head", small_kernels: "small kernels", all_reduce: "all-reduce", pipeline_hops: "hops" };
  const largest = Object.entries(step.parts as Record<string, number>).sort((a, b) => b[1] - a[1]).slice(0, 2);
  const parts = largest.map(([name, time]) => `${names[name] ?? name} ${percent(time / step.step_time)}`).join(", ");
  const share = figure(answers.bound, "step_time") / answers.calibrated.tpot;
  return { verb: "runs at", what: `${percent(share)} of the roofline`, kind: "", rest: `: ${parts}.`, binds: "" };
}
