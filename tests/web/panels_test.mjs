// Is every panel sound: for eyes and ears, for keys, wide and narrow, light and dark; and does it stand still?

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, test } from 'node:test';
import { axe_source, close, closeBoards, native, openBoard, openBrowser, painted, settled } from './browser.mjs';

let browser;
before(async () => { browser = await openBrowser(); });
after(async () => { await browser.close(); });
afterEach(closeBoards);

/** Every section of the page, by its own list: a new panel is asked without a word here. */
const panelsOf = (page) => page.$$eval('#nav a', (all) => all.map((one) => one.dataset.panel));

/** Scrolls to a panel, and waits until its figures are drawn and nothing is asked. */
async function show(page, panel) {
  await page.evaluate((id) => document.getElementById(id).scrollIntoView(), panel);
  await page.waitForFunction((id) => [...document.querySelectorAll(`#${id} figure`)].every((one) => one.querySelector('svg')) && [...document.querySelectorAll(`#${id} table.assumed tbody`)].every((one) => one.children.length > 0) && !window.ridgeline.client.busy('slow') && !window.ridgeline.client.busy('quick'), panel);
}

/** Layout shifts since the page opened, those that a hand caused left out. */
const shiftsOf = (page) => page.evaluate(() => new Promise((done) => {
  new PerformanceObserver((list, observer) => {
    observer.disconnect();
    done(list.getEntries().filter((one) => !one.hadRecentInput).map((one) => ({ value: one.value, at: Math.round(one.startTime), moved: one.sources.slice(0, 3).map((source) => source.node?.id || source.node?.className || source.node?.nodeName) })));
  }).observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => done([]), 500); // none at all
}));

test('at 1280 and 390 px no panel is wider than the page, no label is cut, and what is read does not move', async (context) => {
  for (const width of [1280, 390]) {
    const { page, errors } = await openBoard(browser, { width, height: 844 });
    await settled(page);
    for (const panel of await panelsOf(page)) {
      await show(page, panel);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, `${panel} at ${width}`);
    }
    await page.evaluate(() => document.fonts.ready);
    const cut = await page.evaluate(() => [...document.querySelectorAll('figure .stage svg')].flatMap((svg) => {
      const frame = svg.getBoundingClientRect();
      return [...svg.querySelectorAll('text')].filter((one) => one.textContent && (one.getBoundingClientRect().left < frame.left - 2 || one.getBoundingClientRect().right > frame.right + 2)).map((one) => `${svg.closest('figure').id}: ${one.textContent}`);
    }));
    assert.deepEqual(cut, [], `at ${width}`);
    const named = await page.$$eval('.tools .w, .menu .does button', (all) => all.filter((one) => one.checkVisibility()).length);
    const opens = await page.locator('.menu summary').isVisible();
    assert.deepEqual([named, opens], width < 1240 ? [0, true] : [4, false], `tools at ${width}`);
    const shifts = await shiftsOf(page);
    const sum = shifts.reduce((all, one) => all + one.value, 0);
    context.diagnostic(`at ${width} px all layout shifts, from opening the page to its end, are ${sum.toFixed(3)}`);
    if (opens) { // panels, links and files from a phone
      await page.click('.menu summary');
      await page.click('.menu nav a[data-panel="tiers"]');
      assert.ok(await page.evaluate(() => Math.abs(document.getElementById('tiers').getBoundingClientRect().top) < 120));
      await page.click('.menu summary');
      await page.click('.menu .does button:has-text("Copy as ridge")');
      assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^ridge why deepseek-v3/);
      assert.equal(await page.locator('.menu .sheet').isVisible(), false, 'it closes');
    }
    assert.ok(sum < 0.1, JSON.stringify(shifts.filter((one) => one.value > 0.005)));
    assert.deepEqual(errors, []);
  }
});

test('every panel, light and dark, has no serious finding of axe, moves nothing where motion is to be reduced, and is drawn again only by what it shows', async () => {
  const { page } = await openBoard(browser, { height: 9000, motion: 'reduce' });
  const panels = await panelsOf(page);
  assert.ok(panels.length >= 11, panels.join(' '));
  for (const panel of panels) await show(page, panel);
  await page.waitForFunction(() => window.ridgeline.board.answers.loads.length > 0);
  await painted(page);
  await page.evaluate(() => { for (const svg of document.querySelectorAll('figure .stage svg')) svg.dataset.old = 'yes'; });
  await page.evaluate(() => window.ridgeline.store.set({ batch: 2100 }));
  await page.waitForFunction(() => window.ridgeline.board.answers.calibrated?.concurrency === 2100);
  await page.waitForFunction((ids) => ids.every((id) => !document.querySelector(`#figure-${id} .stage svg`).dataset.old), ['step', 'cost', 'racks']);
  // in one call: between the finding and the asking of $$eval a figure may be drawn again
  const old = await page.evaluate(() => [...document.querySelectorAll('figure .stage svg')].filter((one) => one.dataset.old).map((one) => one.closest('figure').id));
  for (const id of ['frontier', 'context', 'infer', 'tiers', 'schedule', 'training-memory', 'lifecycle', 'chips']) assert.ok(old.includes(`figure-${id}`), `${id} was drawn again`);
  for (const id of ['step', 'frontier', 'context']) await page.click(`#figure-${id} .act button`); // tables as well
  await page.click('.big:has([data-answer="cost"])'); // and what opens: the reasons, and a list to choose from
  await page.waitForSelector('.why:not([hidden]) .flip b[data-flip]');
  await page.click('#value-model');
  await page.waitForSelector('.picker [role="option"]');
  await page.evaluate(() => document.querySelector('meta[http-equiv]')?.remove());
  await page.evaluate(readFileSync(axe_source, 'utf8')); // the debugger is not bound by the page's policy
  for (const theme of ['light', 'dark']) {
    assert.equal(await page.evaluate(() => (document.documentElement.dataset.theme ?? 'light')), theme);
    // a theme is colors alone: of the second only those are asked
    const found = await page.evaluate((only) => window.axe.run(document, { resultTypes: ['violations'], ...(only ? { runOnly: ['color-contrast', 'link-in-text-block'] } : {}) }), theme === 'dark');
    const serious = found.violations.filter((one) => ['serious', 'critical'].includes(one.impact));
    assert.deepEqual(serious.map((one) => `${theme} ${one.id}: ${one.nodes.map((node) => node.html.slice(0, 90)).slice(0, 3).join(' | ')}`), []);
    if (theme === 'light') await page.evaluate(() => document.getElementById('theme').click()); // not by hand, which would close the list
  }
  const moving = await page.evaluate(() => [...document.querySelectorAll('*')].filter((one) => parseFloat(getComputedStyle(one).transitionDuration) > 0 || getComputedStyle(one).animationName !== 'none').length);
  assert.equal(moving, 0);
});

test('ten steps of the lecture by keyboard alone: each is in sight, has the focus, and its things to try work', async () => {
  const { page } = await openBoard(browser);
  await settled(page);
  const heading = () => page.evaluate(() => {
    const one = document.activeElement;
    const box = one.getBoundingClientRect();
    return { words: one.textContent, seen: box.top >= 0 && box.bottom <= innerHeight, story: Boolean(one.closest('.story')) };
  });
  const onwards = async (words) => { // Tab until the control with these words has the focus
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate((wanted) => document.activeElement.textContent.includes(wanted), words)) return;
    }
    assert.fail(`no Tab comes to "${words}"`);
  };
  const titles = await page.$$eval('.right .toc li', (all) => all.map((one) => one.textContent.replace(/^\d+ /, '')));
  assert.equal(titles.length, 10);
  await page.evaluate(() => document.querySelector('.story .toc [aria-current]').focus());
  for (let step = 1; step < 10; step++) {
    await onwards(`${step + 1} ${titles[step]} ↓`);
    await page.keyboard.press('Enter');
    await page.waitForFunction((words) => document.activeElement.textContent === words, titles[step]);
    const at = await heading();
    assert.deepEqual(at, { words: titles[step], seen: true, story: true });
  }
  await onwards('MI355X'); // the last one's second thing to try
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => window.ridgeline.store.state.machine), 'mi355x-8');
});

test('every assumption in force is shown with its source, and a changed one is yours, on the board and in the program', async () => {
  const { page } = await openBoard(browser);
  await show(page, 'assumptions');
  const inputs = native(['why', 'deepseek-v3', '--on', 'gb200-nvl72', '--batch', '2048', '--context', '8704', '--kv', 'fp8']).case.inputs;
  const rows = await page.$$eval('#assumptions tr[data-assumed]', (all) => all.map((one) => ({ key: one.dataset.assumed, words: one.textContent })));
  for (const [key, one] of Object.entries(inputs)) {
    if (one.value === 0 || ['batch', 'context'].includes(key)) continue;
    const row = rows.find((other) => other.key === key);
    assert.ok(row, `${key} is not shown`);
    assert.ok(row.words.includes(one.source === 'default' ? one.note : one.source), `${key}: ${row.words}`);
  }
  assert.match(await page.textContent('#assumptions .fttl'), /^Nothing is changed/);
  await page.fill('#assume-chips', '36'); // typed, and not entered yet: another answer that comes takes nothing from it
  await page.evaluate(() => window.ridgeline.store.commit({ kv: 'bf16' }));
  await page.waitForFunction(() => window.ridgeline.board.answers.bound.case.inputs['kv.stored'].value === 70272 && !window.ridgeline.client.busy('quick'));
  await painted(page);
  assert.equal(await page.inputValue('#assume-chips'), '36');
  await page.press('#assume-chips', 'Tab');
  const said = native(['why', 'deepseek-v3', '--on', 'gb200-nvl72', '--batch', '2048', '--context', '8704', '--kv', 'bf16', '--chips', '36']);
  await page.waitForFunction((chips) => window.ridgeline.board.answers.bound.case.inputs.chips.value === chips && !window.ridgeline.client.busy('quick'), 36);
  await painted(page);
  assert.ok(close(await page.evaluate(() => Number(document.querySelector('[data-answer="user"]').dataset.value)), said.figures.tok_s_per_user.value));
  await page.waitForFunction(() => /^2 things are yours/.test(document.querySelector('#assumptions .fttl').textContent));
  await page.click('tr[data-assumed="kv"] .link');
  assert.equal(await page.evaluate(() => location.hash), '#chips=36');
  await page.waitForFunction(() => document.querySelector('#assume-kv').value === 'fp8');
  await page.selectOption('#assume-engine', 'vllm');
  assert.equal(await page.evaluate(() => window.ridgeline.store.state.engine), 'vllm');
  await page.click('tr[data-assumed="hbm.bandwidth"] .link'); // follows from the machine: the sentence's own field
  assert.equal(await page.evaluate(() => document.activeElement.id), 'value-machine');
});

test('the bound of the frontier counts prefill, as the program says, and lies above every deployment', async () => {
  const { page } = await openBoard(browser);
  await show(page, 'frontier');
  const said = native(['plan', 'deepseek-v3', '--on', 'gb200-nvl72', '--isl', '8192', '--osl', '1024', '--engine', 'sglang', '--tpot', '30ms', '--kv', 'fp8']);
  const most = said.frontier_bounds[0].points[0].output_tok_s_per_chip;
  assert.match(await page.textContent('#figure-frontier .limit'), new RegExp(`roofline bound ${Math.round(most).toLocaleString('en-US')}: prefill counted`));
  const decode = native(['why', 'deepseek-v3', '--on', 'gb200-nvl72', '--batch', '2048', '--context', '8704', '--kv', 'fp8']).figures.output_tok_s_ceiling.value / 72;
  assert.ok(most < 0.5 * decode, `${most} with prefill, ${decode} for decode alone`);
  const above = await page.evaluate(() => {
    const wall = document.querySelector('#figure-frontier .limit path.wall');
    const front = document.querySelector('#figure-frontier path.front');
    const at = (path, share) => path.getPointAtLength(share * path.getTotalLength());
    return Array.from({ length: 50 }, (_, i) => at(front, i / 49)).filter((one) => !Array.from({ length: 200 }, (_, i) => at(wall, i / 199)).some((other) => other.x <= one.x + 4 && other.y < one.y)).length;
  });
  assert.equal(above, 0, 'points of the frontier above the bound');
});

test('labels of the first charts cover no line, over models and readings, and the bars of a step add up to TPOT', async () => {
  const { page } = await openBoard(browser, { hash: 'read=calibrated' });
  const states = [{ model: 'llama-3.1-8b', machine: 'hgx-b200', batch: 256 }, { model: 'llama-3.1-70b', machine: 'hgx-h100', batch: 64, isl: 1024 }, { model: 'deepseek-v3', machine: 'hgx-b200', batch: 128 }, { model: 'deepseek-v3', machine: 'gb200-nvl72', batch: 2048 }];
  for (const state of states) {
    await page.evaluate((change) => window.ridgeline.store.commit({ isl: 8192, ...change }), state);
    await page.waitForFunction((one) => window.ridgeline.board.answers.calibrated?.concurrency === one.batch && window.ridgeline.board.answers.calibrated.machine === one.machine && window.ridgeline.board.answers.loads.length > 0 && !window.ridgeline.client.busy('quick'), state);
    await painted(page);
    const covered = await page.evaluate(() => ['step', 'cost'].flatMap((id) => {
      const svg = document.querySelector(`#figure-${id} .stage svg`);
      const frame = svg.getBoundingClientRect();
      const points = [...svg.querySelectorAll('path.stepline, path.cal, path.ln.hbm')].flatMap((path) => Array.from({ length: 400 }, (_, i) => path.getPointAtLength((i / 399) * path.getTotalLength())).map((one) => [one.x, one.y, path.getAttribute('class')]));
      return [...svg.querySelectorAll('text')].filter((one) => /^(floor|calibrated|step,|roofline|alone)/.test(one.textContent)).flatMap((one) => {
        const box = one.getBoundingClientRect();
        const [left, right, top, bottom] = [box.left - frame.left, box.right - frame.left, box.top - frame.top + 3, box.bottom - frame.top - 3];
        const hit = points.find(([x, y]) => x > left && x < right && y > top && y < bottom);
        return hit ? [`${id}: ${one.textContent} covers ${hit[2]}`] : [];
      });
    }));
    assert.deepEqual(covered, [], JSON.stringify(state));
    const [bars, tpot, spill] = await page.evaluate(() => [Number(document.querySelector('[data-race="engine"]').dataset.value), window.ridgeline.board.answers.calibrated.tpot, [...document.querySelectorAll('.race .row')].filter((row) => row.querySelector('.note')?.getBoundingClientRect().right > row.querySelector('.num').getBoundingClientRect().left).length]);
    assert.ok(close(bars, tpot), `${bars} and ${tpot}`);
    assert.equal(spill, 0, 'a note runs into its number');
  }
});

test('where nothing fits the frontier says so, and the map of a small rack covers none of its own words', async () => {
  const { page, errors } = await openBoard(browser);
  await show(page, 'frontier');
  await page.evaluate(() => window.ridgeline.store.commit({ machine: 'hgx-h100', isl: 100000 }));
  await page.waitForFunction(() => /^Nothing fits/.test(document.querySelector('#figure-frontier .fttl').textContent));
  assert.equal(await page.locator('#figure-frontier svg.t, #figure-frontier .front').count(), 0, 'the chart of the machine before is gone');
  await page.evaluate(() => document.getElementById('racks').scrollIntoView());
  await page.waitForFunction(() => /8 of 8 GPUs/.test(document.querySelector('#figure-racks svg')?.textContent ?? ''));
  const covered = await page.evaluate(() => {
    const texts = [...document.querySelectorAll('#figure-racks svg text')].map((one) => [one.textContent, one.getBoundingClientRect()]);
    const bars = [...document.querySelectorAll('#figure-racks svg rect')].filter((one) => /trough|f-hbm/.test(one.getAttribute('class'))).map((one) => ['the bar of memory', one.getBoundingClientRect()]);
    const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3;
    return texts.flatMap(([words, box], i) => [...texts.slice(i + 1), ...bars].filter(([, other]) => meet(box, other)).map(([more]) => `${words} / ${more}`));
  });
  assert.deepEqual(covered, []);
  await page.evaluate(() => window.ridgeline.store.commit({ model: 'llama-3.1-70b', isl: 8192, batch: 64 }));
  await page.waitForFunction(() => /^A dense model/.test(document.querySelector('#figure-racks .fttl').textContent));
  assert.match(await page.textContent('#figure-racks svg'), /all-reduce over the domain.*160 in a step/s);
  assert.doesNotMatch(await page.textContent('#figure-racks svg'), /expert/, 'a dense model has none');
  await page.evaluate(() => window.ridgeline.store.commit({ model: 'llama-3.1-405b', batch: 64, isl: 32768 })); // no mark leaves a chart where not one request fits
  await page.waitForFunction(() => /Not one request fits/.test(document.querySelector('#figure-step .fttl').textContent));
  await page.evaluate(() => document.getElementById('cost').scrollIntoView());
  await page.waitForFunction(() => /^It does not fit/.test(document.querySelector('#figure-cost .fttl').textContent));
  const outside = await page.evaluate(() => ['step', 'cost'].flatMap((id) => {
    const svg = document.querySelector(`#figure-${id} svg`);
    const [width, height] = [Number(svg.getAttribute('width')), Number(svg.getAttribute('height'))];
    const far = (one, names, most) => names.some((name) => Number(one.getAttribute(name) ?? 0) < -1 || Number(one.getAttribute(name) ?? 0) > most + 1);
    return [...svg.querySelectorAll(':scope > line, :scope > circle, :scope > text, :scope > g > line, :scope > g > text')].filter((one) => !one.classList.contains('cursor') && (far(one, ['x', 'x1', 'x2', 'cx'], width) || far(one, ['y', 'y1', 'y2', 'cy'], height))).map((one) => `${id}: ${one.outerHTML}`);
  }));
  assert.deepEqual(outside, []);
  assert.deepEqual(errors, []);
});
