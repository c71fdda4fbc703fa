// Asks the WebAssembly engine and the native program the same questions and compares their JSON, number by number.
// Usage: node compare.mjs NATIVE_RIDGE RIDGELINE.WASM SOURCE_ROOT

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openDoor } from './door.mjs';
import { questions, requestOf, wordsOf } from './questions.mjs';

const [native, modulePath, root] = process.argv.slice(2);
const ask = await openDoor(modulePath);
const kClose = 1e-9;

function inNative(words) {
  try {
    return { exit: 0, out: execFileSync(native, words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 }) };
  } catch (error) {
    return { exit: error.status, out: error.stdout }; // does not fit (4) and bad input (3) answer in JSON as well
  }
}

let numbers = 0, inexact = 0, worst = 0, failures = 0, same = 0;

function failed(text) {
  ++failures;
  if (failures < 40) console.log(text);
}

function compare(a, b, path) {
  if (a?.id === 'C56') return; // rounding errors of a sum of tanh, which each C library rounds its own way
  if (typeof a === 'number' && typeof b === 'number') {
    ++numbers;
    if (Object.is(a, b) || /\.(seconds|threads)$/.test(path)) return;
    ++inexact;
    const error = Math.abs(a - b) / Math.max(Math.abs(a), Math.abs(b));
    worst = Math.max(worst, error);
    if (!(error <= kClose)) failed(`${path}: native ${a}, wasm ${b}`);
  } else if (a !== null && typeof a === 'object' && b !== null && typeof b === 'object') {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) compare(a[key], b[key], `${path}.${key}`);
  } else if (a !== b) {
    failed(`${path}: native ${JSON.stringify(a)}, wasm ${JSON.stringify(b)}`);
  }
}

function compareQuestion(line, request, words) {
  const text = ask(request);
  const here = JSON.parse(text);
  const there = inNative(words);
  if (here.exit !== there.exit) return failed(`${line}: exit native ${there.exit}, wasm ${here.exit}: ${text.slice(0, 300)}`);
  if (there.exit === 2) return failed(`${line}: not a question`);
  if (there.out !== '' && text.endsWith(`"json":${there.out}}`)) ++same;
  if (here.ok) return compare(JSON.parse(there.out), here.json, line);
  compare(JSON.parse(there.out).errors, here.errors, line);
}

const wanted = process.argv[5];
for (const line of questions.filter((one) => wanted === undefined || one.startsWith(wanted))) {
  try {
    compareQuestion(line, requestOf(line, root), [...wordsOf(line), '--json', ...(/^(simulate|infer)/.test(line) ? ['--quiet'] : [])]);
  } catch (error) {
    failed(`${line}: ${error.stack.slice(0, 400)}`);
  }
}

// Dropped files: configs read with our own patterns here and with RE2 there, published ones of RIDGE_DATA or those that are shipped.
const configs = [join(root, 'examples/06-your-model/config.json')];
const whole = process.env.RIDGE_DATA ? join(process.env.RIDGE_DATA, 'models') : '';
const published = whole !== '' && existsSync(whole) ? whole : join(dirname(native), 'shipped', 'models');
configs.push(...readdirSync(published).filter((one) => one.endsWith('.json')).map((one) => join(published, one)));
for (const path of wanted === undefined ? configs : []) {
  const name = basename(path);
  const there = inNative(['show', path, '--json']);
  const here = JSON.parse(ask({ command: 'show', arguments: [name], files: { [name]: readFileSync(path, 'utf8') } }));
  if (here.exit !== there.exit) { failed(`show ${name}: exit native ${there.exit}, wasm ${here.exit}`); continue; }
  const shown = JSON.parse(there.out.replaceAll(path, name).replaceAll('"06-your-model"', '"config"'));
  compare(here.ok ? shown : shown.errors, here.ok ? here.json : here.errors, `show ${name}`);
}

// A simulation is whole nanoseconds: the same bytes, not numbers that are close.
const runs = wanted === undefined ? [[5, 1], [20, 1], [60, 7]] : [];
for (const [rate, seed] of runs) {
  const line = `simulate llama-3.1-8b --on hgx-h100 --tp 1 --isl 512 --osl 64 --rate ${rate} --requests 200 --seed ${seed}`;
  const rows = JSON.parse(ask(requestOf(`${line} --csv requests.csv`))).files['requests.csv'];
  const written = mkdtempSync(join(tmpdir(), 'ridge-'));
  const file = join(written, 'requests.csv');
  execFileSync(native, [...wordsOf(line), '--csv', file, '--quiet'], { stdio: 'ignore' });
  const expected = readFileSync(file, 'utf8');
  rmSync(written, { recursive: true });
  if (rows === expected && rows.split('\n').length === 202) continue;
  const [one, other] = [rows.split('\n'), expected.split('\n')];
  const at = one.findIndex((text, i) => text !== other[i]);
  failed(`simulation at ${rate}/s, seed ${seed}: line ${at}: native ${other[at]}, wasm ${one[at]}`);
}

// Sheets in TOML: our own reader here, toml++ there.
const sheets = readdirSync(join(root, 'catalog/price')).filter((name) => name.endsWith('.toml') && name !== 'sources.toml');
for (const name of wanted === undefined ? sheets : []) {
  const path = `catalog/price/${name}`;
  const text = readFileSync(join(root, path), 'utf8');
  const model = /^\["([^"@]+)@/m.exec(text)[1];
  const request = { command: 'infer', options: { sheet: path, model, samples: 2000 }, files: { [path]: text } };
  compareQuestion(`infer --sheet ${path} --model ${model}`, request, ['infer', '--sheet', path, '--model', model, '--samples', '2000', '--json', '--quiet']);
}

// What cannot be is refused in words; nothing of it ends the engine.
const refusals = [
  ['{', 2, 'not JSON'], ['[]', 2, 'no object'], [{}, 2, 'is missing'], [{ command: 'wy' }, 2, 'did you mean why'],
  [{ command: 'sweep' }, 2, 'it is not here'], [{ command: 'why', options: { onn: 'x' } }, 2, 'did you mean --on'],
  [{ command: 'why', options: { guesses: 3, tp: 8 } }, 2, '--speculative-tokens'],
  [{ command: 'why', options: { tp: '' } }, 2, 'empty'], [{ command: 'why', options: { tp: true } }, 2, 'wants a value'],
  [{ command: 'why', options: { sensitivity: 'yes' } }, 2, 'is a switch'],
  [{ command: 'why', arguments: ['a', 'b', 'c'] }, 2, 'one word more'], [{ command: 'why', options: { tp: [8, 4] } }, 2, 'given once'],
  [{ command: 'why', options: { depth: 1e9 } }, 2, 'is not a whole number'], [{ command: 'why', option: {} }, 2, 'no member of a request'],
  [{ command: 'why', arguments: ['a.json'], options: { on: 'hgx-h100' } }, 3, 'is none of the request'],
  [{ command: 'why', arguments: ['a.json'], files: { 'a.json': '{"broken' }, options: { on: 'hgx-h100' } }, 3, 'not JSON'],
  [{ command: 'why', arguments: ['a.toml'], files: { 'a.toml': 'model = "x"' } }, 3, 'machine is missing'],
  [{ command: 'why', arguments: ['a.toml'], files: { 'a.toml': '[[model]]' } }, 3, 'neither text'],
  [{ command: 'why', arguments: ['a.gguf'], files: { 'a.gguf': { base64: '!' } } }, 2, 'neither text nor base64'],
  [{ command: 'why', arguments: ['a.gguf'], files: { 'a.gguf': { base64: 'R0dVRg==', size: 2 } } }, 2, 'is less than what is there'],
  [{ command: 'why', arguments: ['a.gguf'], files: { 'a.gguf': { base64: 'R0dVRg==', size: 4e9 } }, options: { on: 'hgx-h100' } }, 3, 'cannot be read'],
  [{ command: 'infer', options: { sheet: 'a.json' }, files: { 'a.json': { base64: 'e30=', size: 9 } } }, 3, 'only its start is here'],
  [{ command: 'why', format: 'text' }, 2, 'no format'], [{ command: 'chips', options: { svg: 'a.svg' } }, 2, 'nothing is drawn'], [{ command: 'show', arguments: ['/etc/passwd'] }, 3, ''],
];
for (const [request, exit, words] of wanted === undefined ? refusals : []) {
  const text = ask(request);
  const answer = JSON.parse(text);
  if (answer.ok || answer.exit !== exit || !text.includes(words)) failed(`${JSON.stringify(request)}: ${text.slice(0, 300)}`);
}

const bytes = readFileSync(modulePath);
console.log(`${questions.length} questions (${same} of them the same byte by byte), ${configs.length} configs, ${sheets.length} sheets, ${runs.length} simulations, ${refusals.length} refusals; ` +
  `${numbers} numbers, ${inexact} not bit-identical (worst relative difference ${worst}); ` +
  `module ${(bytes.length / 1e6).toFixed(2)} MB, ${(gzipSync(bytes, { level: 9 }).length / 1e6).toFixed(2)} MB gzipped`);
process.exit(failures === 0 && (numbers > 5000 || wanted !== undefined) ? 0 : 1);
