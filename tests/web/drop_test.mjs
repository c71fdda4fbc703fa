// Does the board use what is dropped on it, with the numbers that the program gives for the same file?

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { close, closeBoards, native, openBoard, openBrowser, root } from './browser.mjs';

let browser;
let folder;
before(async () => {
  browser = await openBrowser();
  folder = mkdtempSync(join(tmpdir(), 'board-drop-'));
});
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});
afterEach(closeBoards);

const corpus = (path) => readFileSync(join(root, 'tests/fuzz/corpus', path));

/** Drops bytes as a file; where `size` is more, zeros follow them that nobody should need. */
async function drop(page, name, bytes, size = bytes.length) {
  await page.evaluate(async ([called, packed, whole]) => {
    const start = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    await window.ridgeline.drop.take(new File([start, new Uint8Array(whole - start.length)], called));
  }, [name, Buffer.from(bytes).toString('base64'), size]);
}

const notices = (page) => page.textContent('#notices');
const kvOf = (page) => page.evaluate(() => window.ridgeline.board.answers.bound.case.inputs['kv.stored'].value);

/** A llama of two layers in fp16 as GGUF: its header, and the size of the file with its tensors. */
function gguf(vocabulary) {
  const parts = [];
  const number = (bytes, value) => {
    const buffer = Buffer.alloc(bytes);
    bytes === 8 ? buffer.writeBigUInt64LE(BigInt(value)) : buffer.writeUInt32LE(value);
    parts.push(buffer);
  };
  const words = (text) => { number(8, Buffer.byteLength(text)); parts.push(Buffer.from(text)); };
  const whole = { 'llama.block_count': 2, 'llama.context_length': 2048, 'llama.embedding_length': 64, 'llama.feed_forward_length': 128, 'llama.attention.head_count': 4, 'llama.attention.head_count_kv': 2, 'llama.vocab_size': vocabulary };
  const layer = (i) => [['attn_q', [64, 64]], ['attn_k', [64, 32]], ['attn_v', [64, 32]], ['attn_output', [64, 64]], ['ffn_gate', [64, 128]], ['ffn_up', [64, 128]], ['ffn_down', [128, 64]], ['attn_norm', [64]], ['ffn_norm', [64]]].map(([name, shape]) => [`blk.${i}.${name}.weight`, shape]);
  const tensors = [['token_embd.weight', [64, vocabulary]], ...layer(0), ...layer(1), ['output_norm.weight', [64]], ['output.weight', [64, vocabulary]]];
  parts.push(Buffer.from('GGUF'));
  number(4, 3);
  number(8, tensors.length);
  number(8, Object.keys(whole).length + 2);
  words('general.architecture');
  number(4, 8);
  words('llama');
  for (const [key, value] of Object.entries(whole)) { words(key); number(4, 4); number(4, value); }
  words('tokenizer.ggml.tokens');
  number(4, 9);
  number(4, 8);
  number(8, vocabulary);
  for (let i = 0; i < vocabulary; i++) words(`token ${i}, long enough to fill a header`);
  let end = 0;
  for (const [name, shape] of tensors) {
    words(name);
    number(4, shape.length);
    for (const one of shape) number(8, one);
    number(4, 1);
    number(8, end);
    end += Math.ceil(2 * shape.reduce((a, b) => a * b, 1) / 32) * 32;
  }
  const header = Buffer.concat(parts);
  return { start: header, size: Math.ceil(header.length / 32) * 32 + end };
}

test('a GGUF header gives the model that the program reads of it, however long its vocabulary', async () => {
  const { page, errors } = await openBoard(browser, { hash: 'machine=hgx-h100&batch=4&isl=1024&osl=128' });
  for (const [one, vocabulary] of [['short', 128], ['long', 60000]]) {
    const path = join(folder, `${one}.gguf`);
    const { start, size } = gguf(vocabulary);
    writeFileSync(path, Buffer.concat([start, Buffer.alloc(size - start.length)]));
    const said = native(['why', path, '--on', 'hgx-h100', '--batch', '4', '--context', '1088', '--kv', 'fp8']);
    await drop(page, `${one}.gguf`, start, size);
    assert.match(await notices(page), new RegExp(`${one}.gguf is on the board`));
    await page.waitForFunction((value) => window.ridgeline.board.answers.bound.fit.needed === value, said.fit.needed);
    assert.equal(await kvOf(page), said.case.inputs['kv.stored'].value, one);
  }
  assert.ok(gguf(60000).start.length > 2 * 2 ** 20, 'the long one needs more than the first piece');
  for (const broken of ['truncated', 'key_twice', 'unknown_architecture']) {
    const before = await kvOf(page);
    await drop(page, `${broken}.gguf`, corpus(`gguf/${broken}`));
    assert.match(await notices(page), new RegExp(`${broken}.gguf: `));
    assert.equal(await kvOf(page), before);
  }
  assert.deepEqual(errors, []);
});

/** The tensors of a small llama in fp16, as a header; their bytes are zeros. */
function checkpoint() {
  const config = { model_type: 'llama', architectures: ['LlamaForCausalLM'], hidden_size: 64, intermediate_size: 128, num_hidden_layers: 2, num_attention_heads: 4, num_key_value_heads: 2, vocab_size: 128, max_position_embeddings: 2048, torch_dtype: 'float16', tie_word_embeddings: false, hidden_act: 'silu', rms_norm_eps: 1e-5, rope_theta: 10000 };
  const layer = (i) => [['self_attn.q_proj', [64, 64]], ['self_attn.k_proj', [32, 64]], ['self_attn.v_proj', [32, 64]], ['self_attn.o_proj', [64, 64]], ['mlp.gate_proj', [128, 64]], ['mlp.up_proj', [128, 64]], ['mlp.down_proj', [64, 128]], ['input_layernorm', [64]], ['post_attention_layernorm', [64]]].map(([name, shape]) => [`model.layers.${i}.${name}.weight`, shape]);
  const tensors = [['model.embed_tokens.weight', [128, 64]], ...layer(0), ...layer(1), ['model.norm.weight', [64]], ['lm_head.weight', [128, 64]]];
  let end = 0;
  const header = Object.fromEntries(tensors.map(([name, shape]) => {
    const begin = end;
    end += 2 * shape.reduce((a, b) => a * b, 1);
    return [name, { dtype: 'F16', shape, data_offsets: [begin, end] }];
  }));
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return { config: JSON.stringify(config), start: Buffer.concat([length, json]), size: 8 + json.length + end };
}

test('a safetensors header is read beside its config.json, and asks for it', async () => {
  const { config, start, size } = checkpoint();
  mkdirSync(join(folder, 'small'));
  writeFileSync(join(folder, 'small/config.json'), config);
  writeFileSync(join(folder, 'small/small.safetensors'), Buffer.concat([start, Buffer.alloc(size - start.length)]));
  const said = native(['why', join(folder, 'small/small.safetensors'), '--on', 'hgx-h100', '--batch', '4', '--context', '1088', '--kv', 'fp8']);
  const { page } = await openBoard(browser, { hash: 'machine=hgx-h100&batch=4&isl=1024&osl=128' });
  await drop(page, 'small.safetensors', start, size);
  assert.match(await notices(page), /drop the model's config\.json first/);
  await drop(page, 'config.json', Buffer.from(config));
  await drop(page, 'small.safetensors', start, size);
  await page.waitForFunction((needed) => window.ridgeline.store.state.model === 'small/small.safetensors' && window.ridgeline.board.answers.bound?.fit.needed === needed, said.fit.needed);
  await drop(page, 'small.safetensors', start, size - 64);
  assert.match(await notices(page), /truncated/);
});

test('a price sheet in TOML is read as the program reads it, and its intervals are shown', async () => {
  const sheet = 'input = "$2/Mtok"\noutput = "$12/Mtok" # as sold\ncached = { value = "$0.20/Mtok" }\n[tier.200k]\ninput = "$4/Mtok"\noutput = "$18/Mtok"\n';
  writeFileSync(join(folder, 'mine.toml'), sheet);
  const said = native(['infer', '--sheet', join(folder, 'mine.toml'), '--prior', 'lecture']);
  const { page, errors } = await openBoard(browser);
  await drop(page, 'mine.toml', Buffer.from(sheet));
  assert.match(await notices(page), /mine\.toml: its prices are under Context & price/);
  await page.waitForFunction(() => document.querySelector('#figure-infer .fttl')?.textContent?.includes('mine'));
  await page.click('#figure-infer .act button');
  const rows = await page.$$eval('#figure-infer tbody tr', (all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
  const shown = (await page.textContent('#figure-infer svg')).replaceAll(/\s+/g, ' ');
  assert.match(shown, /1\.667 kB\/token exactly/);
  // its price break stands over the cost of a context: 12 and 18 dollars a million, the step at 200,000 tokens
  await page.click('#figure-context .act button');
  const sold = await page.$$eval('#figure-context tbody tr', (all) => all.map((row) => [0, 3].map((i) => row.children[i].dataset.value)).filter(([, price]) => price).map((row) => row.map(Number)));
  assert.deepEqual(sold, [[0, said.sheet.output], [said.sheet.price_breaks[0].above, said.sheet.price_breaks[0].output]]);
  assert.match(await page.textContent('#figure-context svg'), /mine\.toml: output, as sold.*above 200k/s);
  assert.ok(rows.some(([name]) => name === said.quantities.kv.meaning));
  assert.equal(await page.locator('#context .open-list li').count(), said.not_identifiable.length);
  await drop(page, 'wrong.toml', Buffer.from('input = "$2/Mtok"\noutput = '));
  assert.match(await notices(page), /wrong\.toml: a value was expected/);
  assert.deepEqual(errors, []);
});

test('a trace is replayed, with the seconds that the program says', async () => {
  const rows = Array.from({ length: 40 }, (_, i) => `2024-05-10 00:00:${String(i).padStart(2, '0')}.000000,${500 + 37 * i},${20 + i}`);
  const trace = `TIMESTAMP,ContextTokens,GeneratedTokens\n${rows.join('\n')}\n`;
  writeFileSync(join(folder, 'azure.csv'), trace);
  const said = native(['simulate', 'deepseek-v3', '--on', 'gb200-nvl72', '--dp', '64', '--ep', '64', '--disaggregated', '--engine', 'sglang', '--kv', 'fp8', '--requests', '4000', '--seed', '1', '--trace', join(folder, 'azure.csv')]);
  const { page } = await openBoard(browser);
  await drop(page, 'azure.csv', Buffer.from(trace));
  await page.waitForFunction(() => document.querySelector('#figure-latency .badge')?.textContent?.includes('40 requests'));
  await page.click('#figure-latency .act button');
  const cells = await page.$$eval('#figure-latency tbody tr', (all) => Object.fromEntries(all.map((row) => [row.children[0].textContent, row.children[2].dataset.value])));
  assert.ok(close(Number(cells.TTFT), said.as_benchmarked.ttft.p50), `${cells.TTFT} and ${said.as_benchmarked.ttft.p50}`);
  assert.match(await page.textContent('#simulate'), /replaying azure\.csv/);
});

test('results of vLLM, SGLang, GuideLLM and AIPerf are measured runs on the frontier', async () => {
  const { page, errors } = await openBoard(browser);
  const sglang = Buffer.from(`${JSON.stringify({ backend: 'sglang', dataset_name: 'random', max_concurrency: 8, server_info: { model_path: 'acme/m', tp_size: 2, version: '0.5.6' }, duration: 10, completed: 16, total_input_tokens: 16000, total_output_tokens: 1616, total_output_tokens_retokenized: 1600, concurrency: 8, accept_length: null, output_throughput: 161.6, mean_e2e_latency_ms: 5000, mean_tpot_ms: 20, median_tpot_ms: 19.5, mean_itl_ms: 20 })}\n`);
  const pools = Buffer.from(JSON.stringify([{ hw: 'gb200', conc: 4300, model: 'acme/m', framework: 'dynamo-trt', precision: 'fp4', disagg: true, isl: 1024, osl: 1024, num_prefill_gpu: 4, num_decode_gpu: 8, tput_per_gpu: 10204.8, output_tput_per_gpu: 7650.8, input_tput_per_gpu: 15312.8, mean_ttft: 13.4, mean_tpot: 0.0527 }]));
  for (const one of ['vllm_serve.json', 'sglang.jsonl', 'pools.json', 'guidellm.json', 'aiperf.json', 'inferencex.csv']) {
    const before = await page.evaluate(() => window.ridgeline.drop.runs.length);
    await drop(page, one, one === 'sglang.jsonl' ? sglang : one === 'pools.json' ? pools : corpus(`results/${one}`));
    const after_ = await page.evaluate(() => window.ridgeline.drop.runs.length);
    assert.ok(after_ > before, `${one}: ${await notices(page)}`);
  }
  await page.evaluate(() => document.getElementById('frontier').scrollIntoView());
  const runs = await page.evaluate(() => window.ridgeline.drop.runs);
  await page.waitForFunction((count) => document.querySelectorAll('#figure-frontier path.meas').length >= count, runs.length);
  const said = native(['results', join(root, 'tests/fuzz/corpus/results/vllm_serve.json'), '--on', 'gb200-nvl72', '--model', 'deepseek-v3']).results[0];
  assert.ok(close(runs[0].tpot, said.tpot.mean));
  const counted = runs.find((one) => one.name === 'sglang.jsonl');
  assert.ok(close(counted.perChip, 161.6 / 2), 'tok/s over the two GPUs that the file says');
  const apart = runs.find((one) => one.name.startsWith('pools.json'));
  assert.ok(close(apart.perChip, (7650.8 * 8) / 12), 'of a disaggregated run, over the GPUs of both pools');
  assert.ok(runs.some((one) => one.perChip === null), 'a file that does not say its GPUs is drawn by its speed alone');
  assert.deepEqual(errors, []);
});
