// The development server's engine: POST /ask runs the native program, named by RIDGE.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Plugin } from "vite";

interface Request {
  command: string;
  arguments: string[];
  options: Record<string, string | number | boolean | string[]>;
  files?: Record<string, string>;
}

export function askNative(program: string, request: Request): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "board-"));
  const names = new Set(Object.keys(request.files ?? {}));
  for (const [name, text] of Object.entries(request.files ?? {})) writeFileSync(join(folder, basename(name)), text);
  const place = (word: string) => (names.has(word) ? join(folder, basename(word)) : word);
  const words = [...request.command.split(" "), ...request.arguments.map(place)];
  for (const [flag, value] of Object.entries(request.options)) {
    if (value === false) continue;
    if (value === true) words.push(`--${flag}`);
    else for (const one of Array.isArray(value) ? value : [value]) words.push(`--${flag}`, place(String(one)));
  }
  return new Promise((resolve) => {
    execFile(program, [...words, "--json"], { maxBuffer: 1 << 28 }, (error, out) => {
      rmSync(folder, { recursive: true });
      const exit = error ? Number(error.code ?? 1) : 0;
      const json = out.trim() === "" ? null : JSON.parse(out);
      if (json === null) resolve(JSON.stringify({ ok: false, exit, errors: [{ where: "engine", what: "gave no answer" }] }));
      else if (json.schema === "ridge.errors/1") resolve(JSON.stringify({ ok: false, exit, errors: json.errors }));
      else resolve(JSON.stringify({ ok: true, exit, json }));
    });
  });
}

export function answering(): Plugin {
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    let body = "";
    incoming.on("data", (part) => (body += part));
    incoming.on("end", () => {
      void askNative(process.env.RIDGE ?? "../build/quick/ridge", JSON.parse(body) as Request).then((answer) => {
        outgoing.setHeader("Content-Type", "application/json");
        outgoing.end(answer);
      });
    });
  };
  return {
    name: "ridge-native",
    configureServer: (server) => void server.middlewares.use("/ask", handle),
    configurePreviewServer: (server) => void server.middlewares.use("/ask", handle),
  };
}
