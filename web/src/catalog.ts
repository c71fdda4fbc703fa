// Names of the catalog as people read them, for the sentence and its lists.

import type { Json } from "./engine/door";
import type { Choice } from "./picker";
import type { State } from "./state";

interface Row {
  name: string;
  title: string;
  [column: string]: string;
}

const usualFormats = ["fp8", "bf16", "nvfp4", "mxfp4", "int4", "int8"];

export class Catalog {
  #models: Row[] = [];
  #machines: Row[] = [];
  #own = new Map<string, string>(); // files that were dropped, by name

  know(models: Json | null, machines: Json | null): void {
    this.#models = models?.rows ?? this.#models;
    this.#machines = machines?.rows ?? this.#machines;
  }

  addModel(file: string): void {
    this.#own.set(file, "your file");
  }

  choices(key: "model" | "machine" | "weights", state: State): Choice[] {
    if (key === "weights") {
      const as = { value: "", title: "as released", note: "" };
      return [as, ...usualFormats.map((one) => ({ value: one, title: one, note: one === state.weights ? "now" : "" }))];
    }
    const own = key === "model" ? [...this.#own].map(([file, note]) => ({ value: file, title: file, note })) : [];
    const rows = key === "model" ? this.#models : this.#machines;
    const note = (row: Row) => (key === "model" ? `${row.total ?? ""}, ${row.active ?? ""} active` : `${row.nameplate ?? ""}, ${row.bandwidth ?? ""}, ${row.rental ?? ""}`);
    return [...own, ...rows.map((row) => ({ value: row.name, title: shortTitle(row.title), note: note(row) }))];
  }

  title(key: "model" | "machine", name: string): string {
    const row = (key === "model" ? this.#models : this.#machines).find((one) => one.name === name);
    return row ? shortTitle(row.title) : (usualTitles[name] ?? name);
  }
}

/** "GB200 NVL72 rack, 72 GPUs": the sentence says how many. */
const shortTitle = (title: string): string => title.replace(/, (\d[\d,]*) (GPUs|chips)$/, "").replace(/, single (card|socket)$/, "");
const usualTitles: Record<string, string> = { "deepseek-v3": "DeepSeek-V3", "gb200-nvl72": "GB200 NVL72 rack" };
