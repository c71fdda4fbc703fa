// A real Chromium with the board in it, and the native program beside it.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const root = process.env.RIDGE_ROOT ?? process.cwd();
export const program = process.env.RIDGE ?? join(root, 'build/release/ridge');
export const page_file = process.env.BOARD_PAGE ?? join(root, 'build/release/board.html');
const require = createRequire(join(root, 'web/package.json'));
const { chromium } = require('playwright-core');
export const axe_source = require.resolve('axe-core/axe.min.js');

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export async function openBrowser() {
  const executablePath = places.find(existsSync);
  if (!executablePath) throw new Error('no Chromium: ./test installs it (Debian: chromium)');
  return chromium.launch({ executablePath, args: flags });
}

const opened = [];
export async function closeBoards() {
  for (const context of opened.splice(0)) await context.close();
}

/** The board in a new page; what it logs and asks of a network is kept. */
export async function openBoard(browser, { hash = '', width = 1280, height = 720, scheme = 'light', motion = 'no-preference', file = page_file, query = '' } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: motion, permissions: ['clipboard-read', 'clipboard-write'] });
  opened.push(context);
  context.setDefaultTimeout(120_000); // of a busy machine
  const page = await context.newPage();
  const errors = [];
  const requests = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => !/^(data|blob):/.test(request.url()) && requests.push(request.url()));
  await page.goto(pathToFileURL(file).href + query + (hash ? `#${hash}` : ''), { waitUntil: 'commit' });
  await page.waitForSelector('[data-answer], .way, .is .c-bad');
  return { page, errors, requests };
}

/** Waits until the engine has answered everything that the first screen asked. */
/** Until what the answers changed is painted: a busy machine may take its time for a frame. */
export const painted = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));

export async function settled(page) {
  await page.waitForTimeout(30);
  await page.waitForFunction(() => !window.ridgeline.client.busy('quick'), undefined, { polling: 20 });
  await painted(page);
}

export function native(words) {
  try {
    return JSON.parse(execFileSync(program, [...words, '--json'], { maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch (failed) {
    if (failed.status === 4) return JSON.parse(failed.stdout); // does not fit: an answer
    throw failed;
  }
}

export const close = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
