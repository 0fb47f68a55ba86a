import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { routeSources } from '../all-routes.js';
import { startGatewaySuite, type GatewaySuite, type Published } from '../testing/gateway-suite.js';
import { callersOf } from '../routes/route.js';
import { routeTable } from '../routes/route-table.js';

const ours = 'https://app.example.test';
const unknown = 'https://shop.example';
const id = '019b0000-0000-7000-8000-000000000001';
const { routes } = routeTable(routeSources);
const cases = routes.map((route) => [`${route.method} ${route.path}`, route] as const);

let suite: GatewaySuite;
beforeAll(async () => {
  suite = await startGatewaySuite({ TRUSTED_ORIGINS: ours });
});
afterAll(() => suite.stop());

const allowed = ({ headers }: Published) => [
  headers.get('access-control-allow-origin'),
  headers.get('access-control-allow-credentials'),
];

describe.each(cases)('%s', (_, route) => {
  const path = route.path.replace(/:\w+/g, id);
  const open = callersOf(route.declaration).includes('PUBLIC');
  const preflight = (origin: string) =>
    suite.request('OPTIONS', path, { headers: { origin, 'access-control-request-method': route.method } });

  it('answers the preflight of a strange page only where public keys may come', async () => {
    const published = await preflight(unknown);
    const openThere = routes.some(
      (other) => other.path === route.path && callersOf(other.declaration).includes('PUBLIC'),
    );
    expect(allowed(published)).toEqual([openThere ? '*' : null, null]);
    expect(published.status).toBe(openThere ? 204 : 405);
    const methods = published.headers.get('access-control-allow-methods')?.split(', ') ?? [];
    expect(methods.includes(route.method)).toBe(open);
  });

  it('answers the preflight of a page of ours, with its cookies where public keys may not come', async () => {
    const published = await preflight(ours);
    expect([published.status, ...allowed(published)]).toEqual(open ? [204, '*', null] : [204, ours, 'true']);
    expect(published.headers.get('access-control-allow-methods')!.split(', ')).toContain(route.method);
    expect(published.headers.get('access-control-allow-headers')!.split(', ').includes('x-project-id')).toBe(
      !open,
    );
  });

  it('lets the same pages read its answer', async () => {
    const request = (origin: string) => suite.request(route.method, path, { headers: { origin } });
    expect(allowed(await request(unknown))).toEqual([open ? '*' : null, null]);
    const published = await request(ours);
    expect(allowed(published)).toEqual(open ? ['*', null] : [ours, 'true']);
    expect(published.headers.get('access-control-expose-headers')).toContain('retry-after');
    if (!open) expect(published.headers.get('vary')).toBe('Origin');
  });
});

describe('an origin', () => {
  it.each([
    'null',
    'https://app.example.test.evil.example',
    'http://app.example.test',
    'https://app.example.test:8443',
    '',
  ])('%s is none of ours', async (origin) => {
    const published = await suite.request('OPTIONS', '/api/v1/contacts', {
      headers: { origin, 'access-control-request-method': 'GET' },
    });
    expect([published.status, ...allowed(published)]).toEqual([405, null, null]);
  });
});
