// Is the board quick enough for a hand, and for whoever opens it? Run with nothing beside it: a limit of wall time means nothing on cores that others use.

import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { closeBoards, openBoard, openBrowser, settled } from './browser.mjs';

let browser;
before(async () => { browser = await openBrowser(); });
after(async () => { await browser.close(); });
afterEach(closeBoards);

test('a drag follows the hand: the board in under 50 ms at the 95th percentile, with no more new nodes than the charts and answers that it moves', async (context) => {
  const { page } = await openBoard(browser);
  await settled(page);
  const rounds = [];
  for (let round = 0; round < 3; round++)
    rounds.push(await page.evaluate(async (round) => {
      const { store, board } = window.ridgeline;
      const all = [];
      let made = 0;
      const watch = new MutationObserver((changes) => { for (const one of changes) for (const node of one.addedNodes) made += 1 + (node.querySelectorAll?.('*').length ?? 0); });
      watch.observe(document.documentElement, { subtree: true, childList: true });
      for (let i = 0; i < 25; i++) {
        const batch = 3000 + 37 * i + round;
        const began = performance.now();
        store.set({ batch });
        while (board.answers.bound?.case.inputs.batch.value !== batch || board.answers.calibrated?.concurrency !== batch) await new Promise((done) => setTimeout(done, 1));
        all.push(performance.now() - began);
      }
      watch.disconnect();
      return { times: all.sort((a, b) => a - b), nodes: made / 25 };
    }, round));
  const best = rounds.sort((a, b) => a.times[23] - b.times[23])[0]; // a busy machine may slow the others
  context.diagnostic(`a drag's step took ${best.times[12].toFixed(0)} ms in the middle, ${best.times[23].toFixed(0)} ms at the 95th percentile (${rounds.map((one) => one.times[23].toFixed(0)).join(', ')} in three rounds)`);
  assert.ok(best.times[23] < 50, 'the best of three rounds of 25 steps');
  context.diagnostic(`${best.nodes.toFixed(0)} nodes a step`);
  assert.ok(best.nodes < 295, `${best.nodes}: two charts, four answers, the bars and the verdict; the switches and what was not moved stay`);
});

test('while workers plan a rack and simulate a load, the page is never busy for more than 100 ms', async (context) => {
  const { page } = await openBoard(browser);
  await settled(page);
  const longest = [];
  for (let round = 0; round < 3; round++)
    longest.push(await page.evaluate(async (round) => {
      const { client, store } = window.ridgeline;
      let most = 0, last = performance.now(), done = false;
      const tick = new MessageChannel(); // a message waits for nothing but the thread
      tick.port1.onmessage = () => {
        const now = performance.now();
        most = Math.max(most, now - last);
        last = now;
        if (!done) tick.port2.postMessage(0);
      };
      tick.port2.postMessage(0);
      const load = { on: 'gb200-nvl72', isl: '8000', osl: `${1100 + round}`, engine: 'sglang', kv: 'fp8' };
      const plan = client.ask({ command: 'plan', arguments: ['deepseek-v3'], options: { ...load, tpot: '30ms' } }, 'test plan', 'slow');
      const simulation = client.ask({ command: 'simulate', arguments: ['llama-3.1-8b'], options: { on: 'hgx-h100', tp: '1', rate: '4', requests: '4000', seed: `${round}` } }, 'test load', 'slow');
      for (let i = 0; i < 10; i++) {
        store.set({ batch: 512 + 29 * i + round });
        await new Promise((next) => setTimeout(next, 30));
      }
      const answers = await Promise.all([plan, simulation]);
      done = true;
      if (!answers.every((one) => one?.ok)) throw new Error('no plan or no simulation');
      return most;
    }, round));
  context.diagnostic(`the page was busy for at most ${longest.map((one) => one.toFixed(0)).join(', ')} ms in three rounds`);
  assert.ok(Math.min(...longest) < 100);
});

test('the first charts stand within 1.5 s, and a plan of a rack takes the worker no longer', async (context) => {
  const first = [];
  for (let i = 0; i < 3; i++) {
    const { page } = await openBoard(browser);
    await page.waitForSelector('#figure-step .stage svg path.stepline');
    first.push(await page.evaluate(() => performance.now()));
  }
  const { page } = await openBoard(browser);
  const plans = await page.evaluate(async () => {
    const all = [];
    for (const osl of ['1000', '1001', '1002']) {
      const began = performance.now();
      const answer = await window.ridgeline.client.ask({ command: 'plan', arguments: ['deepseek-v3'], options: { on: 'gb200-nvl72', isl: '8000', osl, engine: 'sglang', tpot: '30ms', kv: 'fp8' } }, 'test', 'slow');
      if (!answer?.ok) throw new Error('no plan');
      all.push(performance.now() - began);
    }
    return all;
  });
  context.diagnostic(`first charts after ${Math.min(...first).toFixed(0)} ms, a plan in ${Math.min(...plans).toFixed(0)} ms, each the quickest of three`);
  assert.ok(Math.min(...first) < 1500);
  assert.ok(Math.min(...plans) < 1500);
});
