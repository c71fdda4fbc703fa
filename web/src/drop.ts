// Bring your own: a config.json, a GGUF or safetensors file (its header alone is read), a price sheet, a benchmark result or a trace,
// dropped on the page. It never leaves it. What a file is the engine says: each kind is tried with the command that reads it.

import type { OwnRun } from "./charts/frontier";
import { h } from "./dom";
import type { FileContent } from "./engine";
import type { Client } from "./engine/client";
import { errorsOf, jsonOf, type EngineError, type Json, type Request } from "./engine/door";
import { notice } from "./notice";
import { boundOf, inferOf } from "./questions";
import type { Catalog } from "./catalog";
import type { Store } from "./state";

const MiB = 2 ** 20;
const largest = 24 * MiB; // of a file that is read whole
const largestHeader = 64 * MiB;
const firstStart = 2 * MiB;
const kinds = "a config.json, a GGUF or safetensors file, a price sheet, a benchmark result or a trace";

/** What the panels do with what was dropped. */
export interface Taken {
  runs: () => void;
  sheet: (name: string) => void;
  trace: (name: string) => void;
}

export class Drop {
  readonly files = new Map<string, FileContent>(); // by the name they are asked by
  readonly runs: OwnRun[] = [];
  #store: Store;
  #client: Client;
  #catalog: Catalog;
  #taken: Taken;
  #config: string | null = null; // the last config.json: safetensors need one beside them
  #input = h("input", { type: "file", hidden: true, multiple: true, "aria-label": "files for the board" });

  constructor(store: Store, client: Client, catalog: Catalog, taken: Taken) {
    this.#store = store;
    this.#client = client;
    this.#catalog = catalog;
    this.#taken = taken;
    document.body.append(this.#input);
    this.#input.addEventListener("change", () => void this.takeAll([...(this.#input.files ?? [])]));
    for (const kind of ["dragover", "dragleave", "drop"]) document.addEventListener(kind, (event) => this.#dragged(event as DragEvent));
  }

  choose(): void {
    this.#input.value = "";
    this.#input.click();
  }

  /** A question with the files that it names, and those in the same folder. */
  withFiles = (request: Request): Request => {
    const words = [...request.arguments, ...Object.values(request.options)].filter((one): one is string => typeof one === "string" && this.files.has(one));
    if (words.length === 0) return request;
    const folders = words.filter((one) => one.includes("/")).map((one) => one.slice(0, one.indexOf("/") + 1));
    const named = [...this.files.keys()].filter((one) => words.includes(one) || folders.some((folder) => one.startsWith(folder)));
    return { ...request, files: Object.fromEntries(named.map((name) => [name, this.files.get(name) as FileContent])) };
  };

  #dragged(event: DragEvent): void {
    if (![...(event.dataTransfer?.types ?? [])].includes("Files")) return;
    event.preventDefault();
    document.body.classList.toggle("dropping", event.type === "dragover");
    if (event.type === "drop") void this.takeAll([...(event.dataTransfer?.files ?? [])]);
  }

  /** Several at once: a config before the tensors that need it. */
  async takeAll(files: File[]): Promise<void> {
    const last = (file: File) => Number(/\.safetensors$/i.test(file.name));
    for (const file of files.sort((a, b) => last(a) - last(b))) await this.take(file);
  }

  async take(file: File | undefined): Promise<void> {
    if (!file) return;
    const name = safeName(file.name);
    const wrong = await this.#taking(file, name).catch((error: unknown) => `could not be read (${String(error)})`);
    if (wrong !== null) notice(`${name}: ${wrong}`);
  }

  /** Null: taken; else what is wrong with it. */
  async #taking(file: File, name: string): Promise<string | null> {
    const start = new Uint8Array(await file.slice(0, 8).arrayBuffer());
    if (/\.gguf$/i.test(name) || isGguf(start)) return this.#takeGguf(file, name.replace(/(\.gguf)?$/i, ".gguf"));
    if (/\.safetensors$/i.test(name)) return this.#takeTensors(file, name, start);
    if (file.size > largest) return `has ${Math.round(file.size / MiB)} MiB: the board reads such files up to ${largest / MiB} MiB. For weights, drop their config.json.`;
    let text: string;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    } catch {
      return `is no text: ${kinds} was expected.`;
    }
    const kept = this.files.get(name);
    this.files.set(name, text);
    const wrong = await this.#tried(name, text);
    if (wrong !== null) kept === undefined ? this.files.delete(name) : this.files.set(name, kept);
    return wrong;
  }

  async #tried(name: string, text: string): Promise<string | null> {
    if (looksLikeModel(text)) {
      const wrong = await this.#tryModel(name);
      if (wrong === null) this.#config = text;
      return wrong;
    }
    if (await this.#tryRuns(name)) return null;
    const sheet = await this.#trySheet(name);
    if (sheet === null) return null;
    const trace = await this.#tryTrace(name);
    if (trace === null) return null;
    return (looksLikeTrace(name, text) ? trace : sheet) ?? `is none of what the board reads: ${kinds}.`;
  }

  async #tryModel(name: string): Promise<string | null> {
    const answer = await this.#client.ask(this.withFiles(boundOf({ ...this.#store.state, model: name, weights: "" })), "drop");
    const wrong = errorsOf(answer)[0];
    if (wrong) return inWords(wrong);
    if (!jsonOf(answer)) return "the engine gave no answer";
    this.#catalog.addModel(name);
    this.#store.commit({ model: name, weights: "" });
    notice(`${name} is on the board. It stays in this page: a link does not carry it.`, true);
    return null;
  }

  /** A header may be long (its vocabulary is in it): more of the file is read until it is whole. */
  async #takeGguf(file: File, name: string): Promise<string | null> {
    for (let size = firstStart; ; size *= 4) {
      this.files.set(name, await startOf(file, size));
      const wrong = await this.#tryModel(name);
      if (wrong === null) return null;
      if (size < file.size && size < largestHeader && /(could not|cannot) be read/.test(wrong)) continue;
      this.files.delete(name);
      return wrong;
    }
  }

  async #takeTensors(file: File, name: string, start: Uint8Array): Promise<string | null> {
    if (this.#config === null) return "tensors alone do not say how a token attends: drop the model's config.json first, or both together.";
    if (start.length < 8) return "is too short for a safetensors file.";
    const header = Number(new DataView(start.buffer).getBigUint64(0, true));
    if (header > largestHeader) return `says that its header has ${header} bytes: it is damaged, or no safetensors file.`;
    const folder = name.replace(/\.safetensors$/i, "");
    this.files.set(`${folder}/config.json`, this.#config);
    this.files.set(`${folder}/${name}`, await startOf(file, 8 + header));
    const wrong = await this.#tryModel(`${folder}/${name}`);
    if (wrong !== null) for (const one of [`${folder}/config.json`, `${folder}/${name}`]) this.files.delete(one);
    return wrong;
  }

  /** Whether it is a benchmark's result. */
  async #tryRuns(name: string): Promise<boolean> {
    const { state } = this.#store;
    const request: Request = { command: "results", arguments: [name], options: { on: state.machine, model: state.model } };
    const rows: Json[] = jsonOf(await this.#client.ask(this.withFiles(request), "drop"))?.results ?? [];
    if (rows.length === 0) return false;
    const runs = rows.map((row) => runOf(row, name)).filter((one): one is OwnRun => one !== null);
    if (runs.length === 0) {
      notice(`${name}: ${rows.length} benchmark result${rows.length === 1 ? "" : "s"}, none with a time per token to draw. ridge compare ${name} reads it in full.`);
      return true;
    }
    this.runs.push(...runs);
    this.#taken.runs();
    const converted = runs.some((one) => one.converted) ? " TPOT is from their mean gap between tokens." : "";
    const bare = runs.filter((one) => one.perChip === null).length;
    const onAxis = bare > 0 ? ` ${bare} do${bare === 1 ? "es" : ""} not say how many GPUs: on the axis, at ${bare === 1 ? "its" : "their"} speed.` : "";
    notice(`${name}: ${runs.length} measured run${runs.length === 1 ? "" : "s"}, diamonds on the frontier.${onAxis}${converted}`, true);
    return true;
  }

  async #trySheet(name: string): Promise<string | null> {
    const answer = await this.#client.ask(this.withFiles(inferOf(name, true)), "drop", "slow");
    const wrong = errorsOf(answer)[0];
    if (wrong) return inWords(wrong);
    if (!jsonOf(answer)) return "the engine gave no answer";
    this.#taken.sheet(name);
    notice(`${name}: its prices are under Context & price.`, true);
    return null;
  }

  async #tryTrace(name: string): Promise<string | null> {
    const { state } = this.#store;
    const request: Request = { command: "simulate", arguments: [state.model], options: { on: state.machine, engine: state.engine, trace: name, requests: "10" } };
    const answer = await this.#client.ask(this.withFiles(request), "drop", "slow");
    const wrong = errorsOf(answer).find((one) => one.where.includes(name)); // of others the panel tells
    if (wrong) return inWords(wrong);
    this.#taken.trace(name);
    notice(`${name}: its requests are replayed under Simulate.`, true);
    return null;
  }
}

const inWords = (wrong: EngineError): string => `${wrong.what}${wrong.hint ? ` (${wrong.hint})` : ""}`;

const isGguf = (start: Uint8Array): boolean => String.fromCharCode(...start.slice(0, 4)) === "GGUF";

async function startOf(file: File, size: number): Promise<FileContent> {
  const bytes = new Uint8Array(await file.slice(0, size).arrayBuffer());
  let letters = "";
  for (let i = 0; i < bytes.length; i += 8192) letters += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return { base64: btoa(letters), size: file.size };
}

/** A name that an engine can be asked by, and a page can show. */
export const safeName = (name: string): string => name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "_").slice(-80) || "file";

const looksLikeModel = (text: string): boolean => text.includes("\"model_type\"") || text.includes("\"architectures\"") || text.includes("\"hidden_size\"");
const looksLikeTrace = (name: string, text: string): boolean => /\.(csv|jsonl)$/i.test(name) || /timestamp/i.test(text.slice(0, 400));

/** A run with a time per token: its own, else the mean gap between tokens. Chips as the file says; without them only its speed is known. */
function runOf(row: Json, name: string): OwnRun | null {
  const tpot: number | null = row.tpot?.median ?? row.tpot?.mean ?? null;
  const gap: number | null = row.itl?.median ?? row.itl?.mean ?? null;
  const time = tpot ?? gap;
  if (!time || !(time > 0)) return null;
  const { chips, tp, pp, dp } = row.layout ?? {};
  const counted = chips ?? (tp ? tp * (pp ?? 1) * (dp ?? 1) : null);
  return { name: row.place && row.place !== name ? String(row.place) : name, tpot: time, perChip: counted > 0 && row.output_tok_s > 0 ? row.output_tok_s / counted : null, converted: tpot === null, tool: row.tool ?? "" };
}
