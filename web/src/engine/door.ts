// Questions and answers as the page writes and reads them. The engine itself is ../engine.ts.

import type { Answer as EngineAnswer, Files, Problem } from "../engine";

export type OptionValue = string | number | boolean | string[];
export type Options = Record<string, OptionValue>;
export type Answer = EngineAnswer;
export type EngineError = Problem;

export interface Request {
  command: string;
  arguments: string[];
  options: Options;
  files?: Files;
}

// biome-ignore lint/suspicious/noExplicitAny: the schemas of docs/json.md; readers name what they take of it
export type Json = any;

/** The JSON of an answer; null where there is none. */
export function jsonOf(answer: Answer | null | undefined): Json | null {
  return answer?.ok && answer.json !== undefined ? answer.json : null;
}

export function errorsOf(answer: Answer | null | undefined): EngineError[] {
  return answer && !answer.ok ? [...answer.errors] : [];
}

export function errorAnswer(where: string, what: string, hint = ""): Answer {
  return { ok: false, exit: 1, errors: [{ where, what, hint }] };
}

const plain = /^[A-Za-z0-9_.,:/=+@%-]+$/;
const quoted = (word: string) => (plain.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

/** The same question as a line for a shell. */
export function lineOf(request: Request): string {
  const words = ["ridge", request.command, ...request.arguments.map(quoted)];
  for (const [flag, value] of Object.entries(request.options)) {
    if (value === false) continue;
    if (value === true) words.push(`--${flag}`);
    else for (const one of Array.isArray(value) ? value : [String(value)]) words.push(`--${flag}`, quoted(one));
  }
  return words.join(" ");
}
