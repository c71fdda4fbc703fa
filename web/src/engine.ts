// The engine: the commands of `ridge`, compiled to WebAssembly, asked in JSON. It has no network, files or clock of its
// own; one instance answers one question at a time. In a worker a long question is cancelled by ending the worker.

/** Why a question has no answer: where, what, and what to do about it. */
export interface Problem {
  readonly where: string;
  readonly what: string;
  readonly hint: string;
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What an option is given: true for a switch, a list where it may be given again. Absent: undefined, null or false. */
export type OptionValue = string | number | boolean | null | undefined | readonly (string | number)[];
export type Options = Readonly<Record<string, OptionValue>>;
/** What the command may open, by name. */
export type Files = Readonly<Record<string, FileContent>>;
/** A text, or bytes in base64; with `size` where these are the start alone of a file so large. */
export type FileContent = string | { readonly base64: string; readonly size?: number };

export interface Answered {
  readonly ok: true;
  /** 0: answered; 4: answered, and it does not fit or nothing was found; others as the program's exit codes. */
  readonly exit: number;
  /** What `--json` prints. */
  readonly json?: Json;
  /** Notes that stand beside an answer. */
  readonly said?: string;
  /** What the command would have written to files. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface Refused {
  readonly ok: false;
  readonly exit: number;
  readonly errors: readonly Problem[];
}

export type Answer = Answered | Refused;

export interface Engine {
  readonly version: string;
  ask(command: string, words?: readonly string[], options?: Options, files?: Files): Answer;
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  _initialize?(): void;
  ridge_allocate(size: number): number;
  ridge_free(address: number): void;
  ridge_ask(address: number, size: number): number;
  ridge_result_size(): number;
  ridge_version(): number;
}

const kBadDescriptor = 8;
const kNotSupported = 52;

/** What the C library wants of its host. Nothing goes out, nothing comes in but the time that has passed. */
function host(memory: () => WebAssembly.Memory): WebAssembly.ModuleImports {
  const view = (): DataView => new DataView(memory().buffer);
  const known: Record<string, (...values: never[]) => number> = {
    clock_time_get: (_id: number, _precision: bigint, at: number): number => {
      view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    random_get: (at: number, size: number): number => {
      new Uint8Array(memory().buffer, at, size).fill(0);
      return 0;
    },
    environ_sizes_get: (count: number, size: number): number => {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    environ_get: (): number => 0,
    fd_write: (_descriptor: number, parts: number, count: number, written: number): number => {
      let size = 0;
      for (let i = 0; i < count; ++i) size += view().getUint32(parts + 8 * i + 4, true);
      view().setUint32(written, size, true);
      return 0;
    },
    fd_prestat_get: (): number => kBadDescriptor,
    proc_exit: (code: number): number => {
      throw new Error(`the engine ended with ${code}`);
    },
  };
  return new Proxy(known as WebAssembly.ModuleImports, {
    get: (all, name) => all[String(name)] ?? ((): number => kNotSupported),
  });
}

function refused(what: string): Refused {
  return { ok: false, exit: 1, errors: [{ where: 'ridge', what, hint: 'this is a bug: please report the question' }] };
}

/** Makes an engine of a compiled module; a trap ends an instance, and the next question gets a new one. */
export async function makeEngine(module: WebAssembly.Module): Promise<Engine> {
  const instantiate = (): Exports => {
    let exported: Exports | undefined;
    const memory = (): WebAssembly.Memory => {
      if (exported === undefined) throw new Error('the engine has not started');
      return exported.memory;
    };
    const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: host(memory), env: {} });
    exported = instance.exports as unknown as Exports;
    exported._initialize?.();
    return exported;
  };
  let engine = instantiate();
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const askText = (request: string): string => {
    const bytes = encoder.encode(request);
    const at = engine.ridge_allocate(bytes.length);
    if (at === 0) throw new Error('there is no more memory');
    new Uint8Array(engine.memory.buffer, at, bytes.length).set(bytes);
    const result = engine.ridge_ask(at, bytes.length);
    const text = decoder.decode(new Uint8Array(engine.memory.buffer, result, engine.ridge_result_size()));
    engine.ridge_free(at);
    return text;
  };
  const versionAt = engine.ridge_version();
  const bytes = new Uint8Array(engine.memory.buffer);
  const version = decoder.decode(bytes.subarray(versionAt, bytes.indexOf(0, versionAt)));
  return {
    version,
    ask(command, words = [], options = {}, files = {}): Answer {
      try {
        return JSON.parse(askText(JSON.stringify({ command, arguments: words, options, files }))) as Answer;
      } catch (error) {
        engine = instantiate();
        return refused(error instanceof Error ? error.message : String(error));
      }
    },
  };
}

/** The same of the module's bytes, or of where a page keeps them. */
export async function loadEngine(source: BufferSource | Response | Promise<Response>): Promise<Engine> {
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return makeEngine(await WebAssembly.compile(source));
  return makeEngine(await WebAssembly.compileStreaming(source));
}
