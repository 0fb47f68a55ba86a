import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hasBrowser, openBrowser, openPage } from '@posthorn/testing';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';

let suite: GatewaySuite;
beforeAll(async () => {
  suite = await startGatewaySuite();
});
afterAll(() => suite.stop());

describe('/openapi.json', () => {
  it('is the committed document and public', async () => {
    const published = await suite.request('GET', '/openapi.json');
    expect([published.status, published.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    expect([
      published.headers.get('access-control-allow-origin'),
      published.headers.get('x-content-type-options'),
    ]).toEqual(['*', 'nosniff']);
    expect(published.json).toEqual(JSON.parse(readFileSync('docs/openapi.json', 'utf8')));
  });
});

describe('/docs', () => {
  it('may run and load only its own files', async () => {
    const published = await suite.request('GET', '/docs');
    expect([published.status, published.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(published.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/,
    );
    expect(published.headers.get('content-security-policy')).not.toMatch(/unsafe/);
    expect(published.text).not.toMatch(/https?:|<script>|style=|\son\w+=/);
  });

  it('serves only its own files', async () => {
    for (const path of [
      '/docs/',
      '/docs/index.html',
      '/docs/package.json',
      '/docs/../package.json',
      '/docs/%2e%2e/package.json',
    ])
      expect((await suite.request('GET', path)).status).toBe(404);
  });

  it('explains the type of every problem', async () => {
    const problem = (await suite.request('GET', '/api/v1/contacts')).json as { type: string; title: string };
    const [path, code] = new URL(problem.type).href.replace(/^https?:\/\/[^/]+/, '').split('#');
    const page = await suite.request('GET', path!);
    expect(page.status).toBe(200);
    expect(page.text).toContain(`<dt id="${code}">`);
    expect(page.text).toContain(`<dd>${problem.title}</dd>`);
  });

  const inBrowser = hasBrowser ? it : it.skip;
  inBrowser(
    'shows every group of operations without requests to other hosts (needs: apt-get install chromium)',
    async () => {
      const browser = await openBrowser();
      try {
        // Swagger UI renders only visible elements.
        const page = await openPage(browser, { viewport: { width: 1_200, height: 20_000 } });
        const complaints: string[] = [];
        const requested = new Set<string>();
        page.on('pageerror', (error) => complaints.push(error.message));
        page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
        page.on(
          'request',
          (request) => request.url().startsWith('data:') || requested.add(new URL(request.url()).origin),
        );
        await page.goto(`${suite.gateway.url}/docs`);
        await page.locator('.opblock-tag').first().waitFor();
        const { tags } = (await suite.request('GET', '/openapi.json')).json as { tags: { name: string }[] };
        const groups = page.locator('.opblock-tag');
        await groups.nth(tags.length - 1).waitFor();
        const shown = await groups.evaluateAll((all) =>
          all.map(({ dataset }) => [dataset['tag'], dataset['isOpen']]),
        );
        expect(shown).toEqual(tags.map(({ name }) => [name, String(!name.startsWith('legacy '))]));
        await page.locator('.opblock-tag[data-tag="legacy emails"]').click();
        await page.getByText('Send an email', { exact: true }).click();
        await page.getByText('Send an email to each recipient').click();
        await page.locator('.opblock-body').nth(1).waitFor();
        expect(complaints).toEqual([]);
        expect([...requested]).toEqual([suite.gateway.url]);
      } finally {
        await browser.close();
      }
    },
  );
});
