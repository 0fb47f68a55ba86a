import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));
const require = createRequire(import.meta.url);
const axe = require.resolve('axe-core/axe.min.js');

/** Requires `apt-get install chromium`. */
export const hasBrowser = executablePath !== undefined;

/** What a test has of a browser; closing it closes the pages that the test opened. */
export type TestBrowser = Pick<Browser, 'newContext' | 'close'>;

/** A browser takes seconds to start, so that the next test finds the one of the test before. */
const lingersMs = 1_500;
let running: Promise<Browser> | undefined;
let users = 0;
let ending: NodeJS.Timeout | undefined;

export async function openBrowser(): Promise<TestBrowser> {
  clearTimeout(ending);
  users += 1;
  const browser = await (running ??= launch());
  const contexts: BrowserContext[] = [];
  return {
    newContext: async (options) => {
      const context = await browser.newContext(options);
      contexts.push(context);
      return context;
    },
    close: async () => {
      await Promise.all(contexts.map((context) => context.close()));
      users -= 1;
      if (users === 0) ending = setTimeout(() => void end(browser), lingersMs);
    },
  };
}

// Loaded lazily, so that suites without a browser are not slower.
const launch = async (): Promise<Browser> =>
  (await import('playwright-core')).chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: ['--no-sandbox'],
  });

function end(browser: Browser): Promise<void> {
  running = undefined;
  return browser.close();
}

// Above what rendering takes where other suites use all processors; a page that never shows it still fails.
const actionTimeoutMs = 120_000;

/** A page in a context of its own. */
export async function openPage(browser: TestBrowser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(actionTimeoutMs);
  return context.newPage();
}

interface Violation {
  id: string;
  nodes: { html: string }[];
}

/** Accessibility violations of the current page, in the current color scheme. */
export async function violationsOf(page: Page): Promise<string[]> {
  // Bypasses the content security policy, which allows no scripts.
  await page.evaluate(await readFile(axe, 'utf8'));
  const { violations } = (await page.evaluate('axe.run()')) as { violations: Violation[] };
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
}

/** Fills in and submits a form with the keyboard only. */
export async function typeForm(page: Page, values: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(values)) {
    await tabTo(page, label);
    await page.keyboard.press('Control+A');
    await page.keyboard.type(value);
  }
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}

/** Activates the button or link with this name by keyboard. */
export async function press(page: Page, name: string): Promise<void> {
  await tabTo(page, name);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}

const maxTabs = 40;
const focused = `(() => { const at = document.activeElement; return at?.labels?.[0]?.textContent ?? at?.textContent ?? ''; })()`;

async function tabTo(page: Page, name: string): Promise<void> {
  for (let tabs = 0; tabs < maxTabs; tabs += 1) {
    await page.keyboard.press('Tab');
    if (((await page.evaluate(focused)) as string).trim() === name) return;
  }
  throw new Error(`Tab does not lead to ${name} on ${page.url()}`);
}

/** Selects an option by typing its first letters. */
export async function choose(page: Page, label: string, option: string): Promise<void> {
  await tabTo(page, label);
  await page.keyboard.type(option);
}
