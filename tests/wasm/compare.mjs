// Runs the WebAssembly engine in Node and compares its JSON with the native program's, number by number.
// Usage: node compare.mjs NATIVE_RIDGE RIDGE.WASM

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [native, modulePath] = process.argv.slice(2);

// The engine asks nothing of its host; these exist because the C library links them in.
const unsupported = 52;
const wasi = new Proxy({
  fd_write: () => unsupported,
  environ_sizes_get: (count, size) => { view().setUint32(count, 0, true); view().setUint32(size, 0, true); return 0; },
  environ_get: () => 0,
  proc_exit: (code) => { throw new Error(`the engine called exit(${code})`); },
}, { get: (known, name) => known[name] ?? (() => unsupported) });

const wasm = await WebAssembly.compile(readFileSync(modulePath));
const engine = await WebAssembly.instantiate(wasm, { wasi_snapshot_preview1: wasi, env: {} });
const view = () => new DataView(engine.exports.memory.buffer);
engine.exports._initialize?.();

function inWasm(settings) {
  const text = new TextEncoder().encode(Object.entries(settings).map(([key, value]) => `${key}=${value}`).join('\n'));
  const at = engine.exports.ridge_allocate(text.length);
  new Uint8Array(engine.exports.memory.buffer, at, text.length).set(text);
  const result = engine.exports.ridge_why(at, text.length);
  const size = engine.exports.ridge_result_size();
  const json = new TextDecoder().decode(new Uint8Array(engine.exports.memory.buffer, result, size));
  engine.exports.ridge_free(at);
  return json;
}

function inNative(settings) {
  const { model, machine, sensitivity, ...others } = settings;
  const words = ['why', model, '--on', machine, '--json'];
  if (sensitivity) words.push('--sensitivity');
  for (const [key, value] of Object.entries(others)) {
    if (key.includes('.')) words.push('--set', `${key}=${value}`);
    else words.push(`--${key}`, value);
  }
  try {
    return execFileSync(native, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch (error) {
    return error.stdout; // does not fit (4) and bad input (3) answer in JSON as well
  }
}

let numbers = 0, inexact = 0, worst = 0, failures = 0;

function compare(a, b, path) {
  if (typeof a === 'number' && typeof b === 'number') {
    ++numbers;
    if (Object.is(a, b)) return;
    ++inexact;
    const error = Math.abs(a - b) / Math.max(Math.abs(a), Math.abs(b));
    worst = Math.max(worst, error);
    if (error > 1e-12) { ++failures; console.log(`${path}: native ${a}, wasm ${b}`); }
  } else if (a !== null && typeof a === 'object' && b !== null && typeof b === 'object') {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) compare(a[key], b[key], `${path}.${key}`);
  } else if (a !== b && !path.includes('source') && !path.endsWith('.where') && !path.endsWith('.hint') && !path.includes('ways_out')) {
    ++failures;
    console.log(`${path}: native ${JSON.stringify(a)}, wasm ${JSON.stringify(b)}`);
  }
}

const cases = [
  { model: 'deepseek-v3', machine: 'gb200-nvl72', kv: 'fp8', batch: '2048', context: '8704' },
  { model: 'deepseek-v3', machine: 'gb200-nvl72', sensitivity: 'true' },
  { model: 'llama-3-70b', machine: 'hgx-h100', batch: '64', context: '4k', price: '$2.10/h' },
  { model: 'llama-3.1-405b', machine: 'hgx-h100' },
  { model: 'qwen3-235b-a22b', machine: 'mi355x-8', weights: 'fp8', price: 'owned' },
  { model: 'mixtral-8x7b', machine: 'tpu-v5e-pod', batch: '1', context: '1' },
  { model: 'kimi-k2', machine: 'rubin-nvl144', weights: 'nvfp4', 'hbm.bandwidth': '20 TB/s' },
  { model: 'llama-3-8b', machine: 'xeon-6980p-1', context: '1' },
  { model: 'lama-3-8b', machine: 'xeon-6980p-1' },
  { model: 'llama-3-8b', machine: 'hgx-h100', batch: '0' },
];
for (const settings of cases) {
  const name = `${settings.model}@${settings.machine}`;
  try {
    compare(JSON.parse(inNative(settings)), JSON.parse(inWasm(settings)), name);
  } catch (error) {
    ++failures;
    console.log(`${name}: ${error.message}`);
  }
}
// A simulation is whole nanoseconds: the same bytes, not numbers that are close.
const runs = [[5, 1], [20, 1], [60, 7]];
for (const [rate, seed] of runs) {
  const at = engine.exports.ridge_simulate(rate, seed);
  const rows = new TextDecoder().decode(new Uint8Array(engine.exports.memory.buffer, at, engine.exports.ridge_rows_size()));
  const folder = mkdtempSync(join(tmpdir(), 'ridge-'));
  const file = join(folder, 'requests.csv');
  execFileSync(native, ['simulate', 'llama-3.1-8b', '--on', 'hgx-h100', '--tp', '1', '--isl', '512', '--osl', '64', '--rate', `${rate}`,
                        '--requests', '200', '--seed', `${seed}`, '--csv', file, '--quiet'], { stdio: 'ignore' });
  const expected = readFileSync(file, 'utf8');
  rmSync(folder, { recursive: true });
  if (rows === expected && rows.split('\n').length === 202) continue;
  ++failures;
  const [here, there] = [rows.split('\n'), expected.split('\n')];
  const line = here.findIndex((text, i) => text !== there[i]);
  console.log(`simulation at ${rate}/s, seed ${seed}: line ${line}: native ${there[line]}, wasm ${here[line]}`);
}
console.log(`${runs.length} simulations, ${cases.length} cases, ${numbers} numbers, ${inexact} not bit-identical (worst relative difference ${worst}), module ${(readFileSync(modulePath).length / 1024).toFixed(0)} KiB`);
process.exit(failures === 0 && numbers > 1000 ? 0 : 1);
