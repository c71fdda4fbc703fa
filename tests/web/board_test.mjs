// Does the board show what the program says, in a real browser, whatever is done to it?

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { close, closeBoards, native, openBoard, openBrowser, page_file, painted, settled } from './browser.mjs';

let browser;
before(async () => { browser = await openBrowser(); });
after(async () => { await browser.close(); });
afterEach(closeBoards);

/** 60 states: models, machines, loads, lengths, formats, prices; some do not fit. */
function states() {
  const all = [];
  const models = ['deepseek-v3', 'llama-3.1-70b', 'llama-3.1-8b', 'qwen3-32b', 'llama-3.1-405b', 'deepseek-v3.2'];
  const machines = ['gb200-nvl72', 'hgx-h100', 'hgx-b200', 'mi355x-8', 'hgx-h200'];
  for (let i = 0; i < 60; i++) {
    all.push({
      model: models[i % 6], machine: machines[i % 5], batch: [1, 16, 128, 2048, 9000][(i * 7) % 5], isl: [512, 8192, 1000, 32768][(i * 3) % 4], osl: [128, 1024][i % 2],
      ...(i % 4 === 1 ? { price: 2.5 } : {}), ...(i % 5 === 2 ? { kv: 'bf16' } : {}), ...(i % 9 === 4 ? { weights: 'fp8' } : {}),
    });
  }
  return all;
}

const boundWords = (one) => ['why', one.model, '--on', one.machine, '--batch', String(one.batch), '--context', String(one.isl + one.osl / 2),
  ...(one.weights ? ['--weights', one.weights] : []), '--kv', one.kv ?? 'fp8', ...(one.price ? ['--price', `$${one.price}/h`] : [])];

const shown = (page) => page.evaluate(() => Object.fromEntries([...document.querySelectorAll('[data-answer], [data-race]')].map((one) => [one.dataset.answer ?? one.dataset.race, Number(one.dataset.value)])));

test('numbers on the board are the program\'s, over 60 states', async () => {
  const { page, errors, requests } = await openBoard(browser);
  const loaded = requests.length;
  const keys = ['model', 'machine', 'batch', 'isl', 'osl', 'price', 'kv', 'weights'];
  let unfit = 0;
  for (const state of states()) {
    await page.evaluate(([change, all]) => {
      const fresh = { price: null, kv: 'fp8', weights: '' };
      window.ridgeline.store.commit({ ...fresh, ...Object.fromEntries(all.filter((key) => key in change).map((key) => [key, change[key]])) });
    }, [state, keys]);
    await page.waitForFunction((batch) => window.ridgeline.board.answers.bound?.case.inputs.batch.value === batch && !window.ridgeline.client.busy('quick'), state.batch, { polling: 15 });
    await painted(page);
    const said = native(boundWords(state));
    const words = JSON.stringify(state);
    if (!said.fit.fits) {
      unfit++;
      const text = await page.textContent('.is');
      assert.match(text, /does not fit: [\d.,]+ GiB short/, words);
      assert.equal(await page.locator('.way').count(), said.fit.ways_out.length, words);
      assert.equal(await page.locator('[data-answer]').count(), 0, words);
      continue;
    }
    const page_says = await shown(page);
    const figures = said.figures;
    const pairs = { user: figures.tok_s_per_user.value, chip: figures.output_tok_s_per_chip.value, cost: figures.cost.value, memory: said.fit.needed, HBM: figures.memory_time.value, compute: figures.compute_time.value };
    for (const [name, value] of Object.entries(pairs)) if (value !== null) assert.ok(close(page_says[name], value), `${name} of ${words}: ${page_says[name]} and ${value}`);
    assert.equal(await page.getAttribute('[data-binds]', 'data-binds'), said.verdict.binds, words);
  }
  assert.ok(unfit > 3 && unfit < 40, `${unfit} states do not fit`);
  assert.deepEqual(errors, []);
  assert.equal(requests.length, loaded, 'no request leaves the page');
});

test('the page is under 1.5 MB gzipped', () => {
  const size = gzipSync(readFileSync(page_file), { level: 9 }).length;
  assert.ok(size < 1.5e6, `${size} bytes`);
});

test('a drag writes the link when it rests', async () => {
  const { page } = await openBoard(browser);
  await page.evaluate(() => {
    window.written = 0;
    const write = history.replaceState.bind(history);
    history.replaceState = (...all) => { window.written++; write(...all); };
    for (let batch = 100; batch < 130; batch++) window.ridgeline.store.set({ batch });
  });
  await page.waitForFunction(() => location.hash === '#batch=129');
  await page.waitForTimeout(400); // and is not written again
  assert.equal(await page.evaluate(() => window.written), 1);
});

test('the calibrated headline is the program\'s, and so is the copied command', async () => {
  const { page } = await openBoard(browser, { hash: 'read=calibrated&batch=512' });
  await settled(page);
  await page.waitForFunction(() => window.ridgeline.board.answers.calibrated?.concurrency === 512);
  await page.click('#copy-command');
  const line = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(line, /^ridge why deepseek-v3 --on gb200-nvl72 --dp 64 --ep 64/);
  const said = native(line.split(' ').slice(1));
  const page_says = await shown(page);
  assert.ok(close(page_says.user, said.tok_s_per_user));
  assert.ok(close(page_says.chip, said.output_tok_s_per_chip));
  assert.ok(close(page_says.cost, said.output_cost));
  // beside it stands the bound of the same deployment, prefill counted: not that of decode alone
  const wall = (tile) => page.$eval(`[data-wall=${tile}]`, (element) => +element.dataset.value);
  assert.ok(close(await wall('user'), said.bound.tok_s_per_user));
  assert.ok(close(await wall('chip'), said.bound.output_tok_s_per_chip));
});

test('the first screen fits 1280 x 720, and the verdict flips across the ridge', async () => {
  const { page, errors } = await openBoard(browser);
  await settled(page);
  for (const part of ['.say', '#answers-row', '#figure-step svg', '.story h2']) {
    const box = await page.locator(part).first().boundingBox();
    assert.ok(box.y >= 0 && box.y + box.height <= 720, `${part} ends at ${box.y + box.height}`);
  }
  const ridge = await page.evaluate(() => window.ridgeline.board.answers.bound.verdict.flip_batch);
  for (const [batch, binds] of [[Math.floor(ridge), 'memory'], [Math.ceil(ridge), 'compute']]) {
    await page.evaluate((value) => window.ridgeline.store.commit({ batch: value }), batch);
    await page.waitForFunction((value) => window.ridgeline.board.answers.bound.case.inputs.batch.value === value, batch);
    await settled(page);
    assert.equal(await page.getAttribute('[data-binds]', 'data-binds'), binds);
    assert.match(await page.textContent('.is'), binds === 'compute' ? /compute-bound/ : /HBM-bound/);
  }
  assert.deepEqual(errors, []);
});

test('evaluating an equation of the drawer gives the number it shows', async () => {
  const { page } = await openBoard(browser);
  for (const answer of ['user', 'chip', 'cost', 'memory']) {
    await page.click(`.big:has([data-answer="${answer}"])`);
    await page.waitForSelector('.why:not([hidden]) .eq');
    const equations = await page.$$eval('.eq', (all) => all.map((one) => ({ formula: one.dataset.formula, operands: JSON.parse(one.dataset.operands), value: Number(one.dataset.value) })));
    assert.ok(equations.length > 0);
    for (const { formula, operands, value } of equations) {
      const names = Object.keys(operands);
      const words = formula.replaceAll('·', '*').replaceAll('^', '**');
      const result = new Function('max', 'min', ...names, `return ${words}`)(Math.max, Math.min, ...names.map((name) => operands[name]));
      assert.ok(Math.abs(result - value) <= 1e-9 * Math.abs(value), `${formula}: ${result} and ${value}`);
    }
    await page.keyboard.press('Escape');
  }
});

test('a link holds what differs, opens again the same, and says what it does not know', async () => {
  const { page } = await openBoard(browser);
  assert.equal(await page.evaluate(() => location.hash), '');
  await page.evaluate(() => window.ridgeline.store.commit({ batch: 4096 }));
  assert.equal(await page.evaluate(() => location.hash), '#batch=4096');
  await page.evaluate(() => window.ridgeline.store.commit({ machine: 'hgx-b200', price: 2.25 }));
  const [link, state] = await page.evaluate(() => [location.hash.slice(1), JSON.stringify(window.ridgeline.store.state)]);
  const again = await openBoard(browser, { hash: link });
  assert.equal(await again.page.evaluate(() => JSON.stringify(window.ridgeline.store.state)), state);
  await page.goBack();
  assert.equal(await page.evaluate(() => location.hash), '#batch=4096');
  const old = await openBoard(browser, { hash: 'v=0&b=300&colour=green' });
  assert.equal(await old.page.evaluate(() => window.ridgeline.store.state.batch), 300);
  assert.match(await old.page.textContent('#notices'), /colour/);
  // every key of a link written before version 1
  await old.page.evaluate(() => { location.hash = 'b=12&hw=hgx-h200&in=500&out=40&m=llama-3.1-8b'; });
  await old.page.waitForFunction(() => window.ridgeline.store.state.batch === 12);
  const { batch, machine, isl, osl, model } = await old.page.evaluate(() => window.ridgeline.store.state);
  assert.deepEqual([batch, machine, isl, osl, model], [12, 'hgx-h200', 500, 40, 'llama-3.1-8b']);
});

test('the keyboard alone changes, reads, pins and asks why', async () => {
  const { page } = await openBoard(browser);
  await page.focus('#value-batch');
  await page.keyboard.press('ArrowUp');
  assert.equal(await page.evaluate(() => window.ridgeline.store.state.batch), 4096);
  await page.keyboard.press('Enter');
  await page.keyboard.type('8k');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => window.ridgeline.store.state.batch), 8000);
  await settled(page);
  await page.focus('#figure-step .stage');
  for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight');
  assert.match(await page.textContent('#figure-step .tip'), /batch .*bound.*weights/s);
  await page.keyboard.press('Enter');
  assert.ok(await page.locator('#figure-step .tip.pinned').isVisible());
  await page.keyboard.press('Escape');
  await page.keyboard.press('w');
  await page.waitForSelector('.why:not([hidden])');
  await page.keyboard.press('Escape');
  await page.focus('.v.pick');
  await page.keyboard.press('Enter');
  await page.keyboard.type('llama-3.1-70b');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => window.ridgeline.store.state.model), 'llama-3.1-70b');
});

test('where it does not fit, one click gets out', async () => {
  const { page } = await openBoard(browser, { hash: 'machine=hgx-h100' });
  await page.waitForSelector('.way');
  assert.match(await page.textContent('.is'), /does not fit: 573\.1 GiB short/);
  await page.click('.way[data-way^="--on"]');
  await page.waitForSelector('[data-answer="user"]');
  assert.equal(await page.evaluate(() => window.ridgeline.store.state.machine), 'hgx-b200');
});

test('garbage, 50 MB and a hostile config give a message and leave the board working', async () => {
  const { page, errors } = await openBoard(browser);
  const before = await shown(page);
  const bad = [
    ['garbage.json', '{"model_type": '], ['noise.bin', '\u0000\u0001 nothing'], ['<img src=x onerror=alert(1)>.json', '{"model_type":"<b>x</b>","architectures":["<script>"]}'],
    ['deep.json', `{"model_type":"llama","a":${'['.repeat(50000)}`], ['huge.json', JSON.stringify({ model_type: 'llama', hidden_size: 1e308, num_hidden_layers: 1e9, num_attention_heads: -1, vocab_size: 0 })],
  ];
  for (const [name, text] of bad) {
    await page.evaluate(([n, t]) => window.ridgeline.drop.take(new File([t], n)), [name, text]);
    assert.ok(await page.locator('.notice').count() > 0, name);
  }
  await page.evaluate(() => window.ridgeline.drop.take(new File([new Uint8Array(50 << 20)], 'big.json')));
  assert.match(await page.textContent('#notices'), /50 MiB/);
  assert.equal(await page.locator('#notices img, #notices script, #notices b').count(), 0);
  assert.deepEqual(await shown(page), before);
  assert.deepEqual(errors, []);
});

test('a dropped config.json is on the board, with its own KV bytes', async () => {
  const { page } = await openBoard(browser);
  const config = { model_type: 'llama', architectures: ['LlamaForCausalLM'], hidden_size: 4096, intermediate_size: 14336, num_hidden_layers: 32, num_attention_heads: 32, num_key_value_heads: 8, vocab_size: 128256, max_position_embeddings: 131072, torch_dtype: 'bfloat16', tie_word_embeddings: false, hidden_act: 'silu', rms_norm_eps: 1e-5, rope_theta: 500000 };
  await page.evaluate((text) => window.ridgeline.drop.take(new File([text], 'config.json')), JSON.stringify(config));
  await page.waitForFunction(() => window.ridgeline.board.answers.bound?.case.model !== 'deepseek-v3');
  // 2 of K and V, 8 heads of 128, 32 layers, one byte in fp8: 65,536 B a token
  assert.equal(await page.evaluate(() => window.ridgeline.board.answers.bound.case.inputs['kv.stored'].value), 65536);
});

test('ridge why --html writes the answer as a page, with its reasons open', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'board-report-'));
  const file = join(folder, 'report.html');
  const questions = [
    [['why', 'llama-3.1-70b', '--on', 'hgx-h100', '--batch', '32', '--context', '4k', '--kv', 'fp8', '--price', '$2/h', '--derive', 'cost'], (said) => [said.figures.tok_s_per_user.value, said.figures.cost.value], /^Why \$/],
    [['why', 'deepseek-v3', '--on', 'gb200-nvl72', '--dp', '64', '--ep', '64', '--isl', '8k', '--osl', '1k', '--concurrency', '512', '--disaggregated', '--engine', 'sglang', '--price', '$4/h'], (said) => [said.tok_s_per_user, said.output_cost], /^Why [\d.]+ ms/],
  ];
  for (const [words, figures, head] of questions) {
    const said = native([...words, '--html', file]);
    const { page, errors } = await openBoard(browser, { file });
    await page.waitForSelector('.why:not([hidden]) .eq');
    assert.match(await page.textContent('.why h2'), head);
    const page_says = await shown(page);
    const [user, cost] = figures(said);
    assert.ok(close(page_says.user, user), `${page_says.user} and ${user}`);
    assert.ok(close(page_says.cost, cost), `${page_says.cost} and ${cost}`);
    assert.deepEqual(errors, []);
  }
  rmSync(folder, { recursive: true });
});

test('switching to total tokens changes the answer, the axis, the table and its values', async () => {
  const { page } = await openBoard(browser);
  await settled(page);
  const rates = async (basis) => {
    await page.evaluate(() => document.getElementById('frontier').scrollIntoView());
    await page.waitForSelector('#figure-frontier svg .front');
    if (await page.locator('#figure-frontier table').count() === 0) await page.click('#figure-frontier .act button');
    const says = (place) => page.waitForFunction(([where, what]) => document.querySelector(`#figure-frontier ${where}`)?.textContent.includes(what), [place, `${basis} tok/s/GPU`]);
    await says('thead');
    await says('svg');
    return page.$$eval('#figure-frontier tbody tr', (all) => all.map((row) => Number(row.children[4].dataset.value)).filter(Boolean));
  };
  const before = { chip: (await shown(page)).chip, rates: await rates('output') };
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.click('.basis button:has-text("total")');
  assert.equal(await page.evaluate(() => location.hash), '#basis=total');
  await settled(page);
  const after_ = { chip: (await shown(page)).chip, rates: await rates('total') };
  const times = (8192 + 1024) / 1024; // tokens of a request for each of its output
  assert.ok(close(after_.chip, before.chip * times));
  after_.rates.forEach((rate, i) => assert.ok(close(rate, before.rates[i] * times)));
  assert.match(await page.textContent('#figure-frontier svg'), /total tok\/s\/GPU/);
  assert.match(await page.textContent('#figure-frontier thead'), /total tok\/s\/GPU.*\$\/total token/s);
  assert.match(await page.textContent('#figure-frontier .fttl'), /total tokens/);
});

test('in a frame of 600 or 800 px there is the first screen, and a link to the same state', async () => {
  for (const width of [600, 800]) {
    const { page, errors } = await openBoard(browser, { width, height: 700, query: '?embed', hash: 'batch=300' });
    await settled(page);
    assert.equal(await page.locator('.bar, .panel, .story').filter({ visible: true }).count(), 0);
    assert.ok(await page.locator('#figure-step .stage svg').isVisible());
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    await page.evaluate(() => window.ridgeline.store.commit({ batch: 600 }));
    assert.match(await page.getAttribute('.attribution', 'href'), /board\.html#batch=600$/);
    assert.deepEqual(errors, []);
  }
});

test('two scenarios side by side show only what differs', async () => {
  const { page } = await openBoard(browser);
  await page.click('#compare-tool');
  await page.evaluate(() => window.ridgeline.store.commit({ machine: 'hgx-b200' }));
  await page.waitForSelector('[data-differs]');
  await settled(page);
  assert.deepEqual(await page.$$eval('[data-differs]', (all) => all.map((one) => one.dataset.differs)), ['machine']);
});
