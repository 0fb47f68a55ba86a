import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { hasBrowser, openBrowser, openPage } from '@posthorn/testing';
import { withPosthorn } from '../testing/bad-input.js';
import { Terminal, walkGuide } from '../testing/guide.js';

const inBrowser = hasBrowser ? it : it.skip;

type Opened = Awaited<ReturnType<typeof openBrowser>>;

describe('the audience guide', () => {
  const suite = withPosthorn();
  let terminal: Terminal;
  let shop: Server;
  let browser: Opened;
  const tokens = new Set<string>();

  beforeAll(async () => {
    // State of npm start is beside the directory in which the guide runs.
    terminal = new Terminal(dirname(suite.posthorn.dataDirectory));
    shop = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Shop</title>'),
    );
    await new Promise<void>((listening) => shop.listen(0, '127.0.0.1', listening));
    if (hasBrowser) browser = await openBrowser();
  });
  afterAll(async () => {
    terminal.close();
    await browser?.close();
    await new Promise((closed) => shop.close(closed));
  });

  const local = (text: string): string => text.replaceAll('.posthorn/', `${suite.posthorn.dataDirectory}/`);

  /** On a page of another origin. */
  async function onPage(script: string): Promise<string> {
    const [url, list, key] = (await terminal.run('echo $URL $LIST $PUBLIC')).trim().split(' ');
    const page = await openPage(browser);
    await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`);
    const names = { URL: url, LIST: list, PUBLIC: key };
    const texts = Object.entries(names).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`);
    const published = (await page.evaluate(`(async () => { ${texts.join(' ')} ${script} })()`)) as Record<
      string,
      unknown
    >;
    await page.close();
    return `${JSON.stringify(published)}\n`;
  }

  /** Opens the mail in the inbox like its reader, follows its link and presses the button. */
  async function click(subject: string, link: string, button: string): Promise<string> {
    const inbox = await openPage(browser, { locale: 'en' });
    await inbox.goto(suite.posthorn.dev.inboxUrl);
    await inbox.getByRole('option', { name: subject }).click();
    const opens = inbox.waitForEvent('popup');
    await inbox.frameLocator('#frame').getByRole('link', { name: link }).click();
    const page = await opens;
    await page.getByRole('button', { name: button }).click();
    const text = [
      await page.getByRole('heading').first().innerText(),
      await page.getByRole('status').innerText(),
    ];
    await inbox.context().close();
    return `${text.join('\n')}\n`;
  }

  const does: Record<string, (text: string) => Promise<string>> = {
    sh: (text) => terminal.run(local(text)),
    js: onPage,
    click: (text) => click(...(text.trim().split('\n') as [subject: string, link: string, button: string])),
  };

  inBrowser(
    'matches the actual output (needs: apt-get install chromium)',
    () =>
      walkGuide('docs/guides/audience.md', {
        does,
        onPrinted: (printed) => {
          for (const [, token] of printed.matchAll(/"confirm_token": ?"([^"]+)"/g)) tokens.add(token!);
        },
        shown: shortened,
      }),
    300_000,
  );

  /** Output that the guide shortens. */
  const shortened = (text: string): string =>
    [...tokens].reduce((left, token) => left.replaceAll(token, `${token.slice(0, 12)}…`), text);
});
