// What the page carries inside itself: the engine, compressed, and answers for the state it opens with.

import type { Answer } from "./door";

async function bytesOf(id: string): Promise<Uint8Array | null> {
  const text = document.getElementById(id)?.textContent?.trim();
  if (!text) return null;
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The engine, compiled once for both workers; null in development, where the native program answers. */
export async function engineModule(): Promise<WebAssembly.Module | null> {
  const bytes = await bytesOf("engine");
  return bytes ? WebAssembly.compile(bytes as BufferSource) : null;
}

export async function answersOf(): Promise<Record<string, Answer>> {
  const bytes = await bytesOf("answers");
  return bytes ? (JSON.parse(new TextDecoder().decode(bytes)) as Record<string, Answer>) : {};
}
