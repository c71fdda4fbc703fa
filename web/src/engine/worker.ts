// The engine in a worker: one instance, one question at a time. Without a compiled engine (`npm run dev`) the questions go to
// the development server, which asks the native program.

import { makeEngine, type Engine } from "../engine";
import { errorAnswer, type Answer, type Request } from "./door";
import { unpackLzma } from "./lzma";

type Message =
  | { kind: "unpack"; packed: string; size: number }
  | { kind: "engine"; module: WebAssembly.Module | null }
  | { kind: "ask"; id: number; request: Request };

let engine: Engine | null = null;
let remote = false;

function askRemote(request: Request): Answer {
  const call = new XMLHttpRequest();
  call.open("POST", "/ask", false);
  call.send(JSON.stringify(request));
  return JSON.parse(call.responseText) as Answer;
}

function answer({ command, arguments: words, options, files }: Request): Answer {
  if (remote) return askRemote({ command, arguments: words, options, ...(files ? { files } : {}) });
  return engine ? engine.ask(command, words, options, files ?? {}) : errorAnswer("engine", "is not loaded");
}

self.onmessage = async (event: MessageEvent<Message>) => {
  const message = event.data;
  if (message.kind === "unpack") {
    const letters = atob(message.packed);
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
    self.postMessage({ kind: "module", module: await WebAssembly.compile(unpackLzma(bytes, message.size)) });
    return;
  }
  if (message.kind === "engine") {
    if (message.module) engine = await makeEngine(message.module);
    else remote = true;
    self.postMessage({ kind: "ready" });
    return;
  }
  const began = performance.now();
  const result = answer(message.request);
  self.postMessage({ kind: "answer", id: message.id, answer: result, took: performance.now() - began });
};
