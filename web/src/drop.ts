// Bring your own: a config.json, a price sheet, a benchmark result or a trace, dropped on the page. It never leaves it. What a file is
// the engine says: each kind is tried with the command that reads it.

import type { OwnRun } from "./charts/frontier";
import { h } from "./dom";
import type { Client } from "./engine/client";
import { errorsOf, jsonOf, type Json, type Request } from "./engine/door";
import { notice } from "./notice";
import { boundOf } from "./questions";
import type { Catalog } from "./catalog";
import type { Store } from "./state";

const largest = 24 * 2 ** 20;

export class Drop {
  readonly files = new Map<string, string>(); // by the name they are asked by
  readonly runs: OwnRun[] = [];
  #store: Store;
  #client: Client;
  #catalog: Catalog;
  #changed: () => void;
  #input = h("input", { type: "file", hidden: true, "aria-label": "a file for the board" });

  constructor(store: Store, client: Client, catalog: Catalog, changed: () => void) {
    this.#store = store;
    this.#client = client;
    this.#catalog = catalog;
    this.#changed = changed;
    document.body.append(this.#input);
    this.#input.addEventListener("change", () => void this.take(this.#input.files?.[0]));
    for (const kind of ["dragover", "dragleave", "drop"]) document.addEventListener(kind, (event) => this.#dragged(event as DragEvent));
  }

  choose(): void {
    this.#input.value = "";
    this.#input.click();
  }

  /** A question with the files that it names. */
  withFiles = (request: Request): Request => {
    const named = [...request.arguments, ...Object.values(request.options)].filter((one): one is string => typeof one === "string" && this.files.has(one));
    if (named.length === 0) return request;
    return { ...request, files: Object.fromEntries(named.map((name) => [name, this.files.get(name) as string])) };
  };

  #dragged(event: DragEvent): void {
    if (![...(event.dataTransfer?.types ?? [])].includes("Files")) return;
    event.preventDefault();
    document.body.classList.toggle("dropping", event.type === "dragover");
    if (event.type === "drop") void this.take(event.dataTransfer?.files[0]);
  }

  async take(file: File | undefined): Promise<void> {
    if (!file) return;
    const name = safeName(file.name);
    if (file.size > largest) return notice(`${name} has ${Math.round(file.size / 2 ** 20)} MiB: the board reads files up to ${largest / 2 ** 20} MiB. For weights, drop their config.json.`);
    if (/\.(gguf|safetensors)$/i.test(name)) return notice(`${name}: the board reads config.json so far; the ridge program reads this one: ridge why ${name}`);
    let text: string;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    } catch {
      return notice(`${name} is no text: a config.json, a price sheet, a benchmark result or a trace was expected.`);
    }
    this.files.set(name, text);
    const problem = await this.#tryModel(name, text) ?? await this.#tryRuns(name) ?? await this.#trySheet(name);
    if (problem !== null) {
      this.files.delete(name);
      notice(`${name}: ${problem}`);
    }
  }

  /** Null: taken. Undefined: another kind of file. A text: it is of this kind, and wrong. */
  async #tryModel(name: string, text: string): Promise<string | null | undefined> {
    if (!looksLikeModel(text)) return undefined;
    const answer = await this.#client.ask(this.withFiles(boundOf({ ...this.#store.state, model: name })), "drop");
    const wrong = errorsOf(answer)[0];
    if (wrong) return `${wrong.what}${wrong.hint ? ` (${wrong.hint})` : ""}`;
    if (!jsonOf(answer)) return "the engine gave no answer";
    this.#catalog.addModel(name);
    this.#store.commit({ model: name });
    notice(`${name} is on the board. It stays in this page: a link does not carry it.`, true);
    return null;
  }

  async #tryRuns(name: string): Promise<string | null | undefined> {
    const { state } = this.#store;
    const options = { on: state.machine, model: state.model };
    const answer = await this.#client.ask(this.withFiles({ command: "results", arguments: [name], options }), "drop");
    const rows: Json[] = jsonOf(answer)?.runs ?? jsonOf(answer)?.rows ?? [];
    const runs = rows.map(runOf).filter((one): one is OwnRun => one !== null);
    if (runs.length === 0) return undefined;
    this.runs.push(...runs.map((one) => ({ ...one, name })));
    this.#changed();
    notice(`${name}: ${runs.length} measured run${runs.length === 1 ? "" : "s"}, drawn as diamonds on the frontier.`, true);
    return null;
  }

  async #trySheet(name: string): Promise<string | null> {
    const answer = await this.#client.ask(this.withFiles({ command: "infer", arguments: [], options: { sheet: name, prior: "lecture" } }), "drop", "slow");
    if (jsonOf(answer)) {
      notice(`${name} is a price sheet; ridge infer --sheet ${name} reads it in full.`, true);
      return null;
    }
    return errorsOf(answer)[0]?.what ?? "is neither a model, nor prices, nor results";
  }
}

/** A name that an engine can be asked by, and a page can show. */
export const safeName = (name: string): string => name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "_").slice(-80) || "file";

const looksLikeModel = (text: string): boolean => text.includes("\"model_type\"") || text.includes("\"architectures\"") || text.includes("\"hidden_size\"");

function runOf(row: Json): OwnRun | null {
  const tpot = row.tpot ?? row.measured?.tpot;
  const rate = row.output_tok_s_per_chip ?? row.measured?.output_tok_s_per_chip ?? (row.output_tok_s && row.chips ? row.output_tok_s / row.chips : undefined);
  return tpot > 0 && rate > 0 ? { name: "", tpot, perChip: rate } : null;
}
