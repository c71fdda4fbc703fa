// What the page carries inside itself: the engine, compressed, and answers for the state it opens with.

import type { Answer } from "./door";

import EngineWorker from "./worker?worker&inline";

/** The engine, unpacked and compiled beside the page, once for all workers; null in development, where the native program answers. */
export async function engineModule(): Promise<WebAssembly.Module | null> {
  const script = document.getElementById("engine");
  const packed = script?.textContent?.trim();
  if (!script || !packed) return null;
  const worker = new EngineWorker();
  try {
    return await new Promise<WebAssembly.Module>((resolve, reject) => {
      worker.onmessage = (event: MessageEvent) => resolve((event.data as { module: WebAssembly.Module }).module);
      worker.onerror = (event) => reject(new Error(event.message));
      worker.postMessage({ kind: "unpack", packed, size: Number(script.dataset.size) });
    });
  } finally {
    worker.terminate();
  }
}

export async function answersOf(): Promise<Record<string, Answer>> {
  const text = document.getElementById("answers")?.textContent?.trim();
  if (!text) return {};
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(stream).json()) as Record<string, Answer>;
}
