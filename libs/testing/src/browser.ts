import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path));
const require = createRequire(import.meta.url);
const axe = require.resolve('axe-core/axe.min.js');

/** Whether there is a browser on this machine: apt-get install chromium. */
export const hasBrowser = executablePath !== undefined;

// Loaded here, so that suites without a browser do not pay for it.
export const openBrowser = async (): Promise<Browser> =>
  (await import('playwright-core')).chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: ['--no-sandbox'],
  });

interface Violation {
  id: string;
  nodes: { html: string }[];
}

/** What an accessibility check finds on the page as it stands, in the browser's present colours. */
export async function violationsOf(page: Page): Promise<string[]> {
  // The page's own policy lets no script in: this one goes past it, as a developer's tools do.
  await page.evaluate(await readFile(axe, 'utf8'));
  const { violations } = (await page.evaluate('axe.run()')) as { violations: Violation[] };
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
}

/** Fills in and sends a form by keyboard alone: fields are found by Tab, the form is sent by Enter. */
export async function typeForm(page: Page, values: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(values)) {
    await tabTo(page, label);
    await page.keyboard.press('Control+A');
    await page.keyboard.type(value);
  }
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}

/** Presses the button or follows the link of this name by keyboard. */
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

/** Chooses an option by keyboard, as somebody who types its first letters does. */
export async function choose(page: Page, label: string, option: string): Promise<void> {
  await tabTo(page, label);
  await page.keyboard.type(option);
}
