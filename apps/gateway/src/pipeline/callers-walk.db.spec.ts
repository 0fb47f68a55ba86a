import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { routeSources } from '../all-routes.js';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';
import { codeOf, expectAdmitted, expectRefused, statedBy } from '../testing/walk/dialect-shapes.js';
import { walkCallers, type WalkCaller } from '../testing/walk/walk-callers.js';
import { strangeOrigin, trustedOrigin, WalkFixture } from '../testing/walk/walk-fixture.js';
import { Get, Patch, Post, Put, Delete, callersOf, type Method } from '../routes/route.js';
import { isListedAs, outsideRoutes } from '../outside-routes.js';
import { routeTable, type Route } from '../routes/route-table.js';

const table = routeTable(routeSources);
const { routes } = table;
/** Jest copies the parameters of every test, so tests get names instead of routes. */
const routesByName = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]));
const names = [...routesByName.keys()];
const covered = new Set<string>();

/** A declaration serves both surfaces, so on the second one each caller meets every fourth route, and each route every fourth caller. */
const everyNth = 4;
const indexes = new Map(names.map((name, index) => [name, index]));
function callersAt(name: string): readonly WalkCaller[] {
  const route = routesByName.get(name)!;
  const isSecond = route.surface === 'legacy' && hasTwin(route);
  if (!isSecond) return walkCallers;
  return walkCallers.filter((_, index) => (index + indexes.get(name)!) % everyNth === 0);
}
const hasTwin = ({ noun, name }: Route): boolean =>
  routes.some((other) => other.surface === 'v1' && other.noun === noun && other.name === name);
const expected = names.reduce((sum, name) => sum + callersAt(name).length, 0);

let suite: GatewaySuite;
let fixture: WalkFixture;

beforeAll(async () => {
  suite = await startGatewaySuite({ TRUSTED_ORIGINS: trustedOrigin });
  fixture = new WalkFixture(suite);
  await fixture.prepare(routes);
});
afterAll(async () => {
  process.stderr.write(
    `callers walk: ${covered.size} of ${expected} (${routes.length} routes, ${walkCallers.length} callers), ${fixture.requested} requests\n`,
  );
  await suite.stop();
});

async function expectAnswer(route: Route, caller: WalkCaller): Promise<void> {
  const shown = caller.shows(fixture, route);
  const published = await fixture.request(route, shown);
  const path = fixture.pathOf(route, shown.projectId);
  const wanted = caller.hears(route);
  if (wanted === 'admitted') expectAdmitted(published, route, path);
  else expectRefused(published, route, path, wanted);
}

describe.each(names)('%s', (name) => {
  const route = routesByName.get(name)!;

  it('answers every caller as declared', async () => {
    const wrong: string[] = [];
    for (const caller of callersAt(name)) {
      await expectAnswer(route, caller).catch((failure: Error) =>
        wrong.push(`${caller.says}: ${failure.message}`),
      );
      covered.add(`${name} ${caller.says}`);
    }
    expect(wrong).toEqual([]);
  });

  it('tells the project of a stranger from one that does not exist by no byte', async () => {
    const { cookies, keys, tokens, unknowns: unknown, nowhere } = fixture;
    const text = async (headers: Record<string, string>, projectId: string) =>
      statedBy(await fixture.request(route, { headers, projectId }), projectId);
    const credentials: Record<string, string>[] = [
      { cookie: cookies.OWNER, origin: trustedOrigin },
      { authorization: `Bearer ${keys.full}` },
      { authorization: `Bearer ${tokens.OWNER}` },
    ];
    for (const headers of credentials) {
      const [theirs, nobodys] = [
        await text({ ...headers, 'x-project-id': unknown }, unknown),
        await text({ ...headers, 'x-project-id': nowhere }, nowhere),
      ];
      expect(theirs).toEqual(nobodys);
    }
  });

  it('says the same of every credential that is none', async () => {
    const { keys, unknown } = fixture;
    const text = await Promise.all(
      [unknown, keys.revoked, 'sk_live_x', `${unknown}x`].map(async (token) =>
        statedBy(await fixture.request(route, { headers: { authorization: `Bearer ${token}` } })),
      ),
    );
    expect(text).toEqual(text.map(() => text[0]));
  });

  it('has a HEAD where it has a GET, and a 405 that names its methods for the rest', async () => {
    const headers = { authorization: `Bearer ${fixture.keys.full}` };
    // A path with a name in it may stand where others have an id.
    const known: string[] = [...new Set(table.at(fixture.pathOf(route)).map(({ method }) => method))];
    const readable = known.includes('GET');
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']) {
      const published = await fixture.request(route, { headers }, method);
      const isKnown = known.includes(method) || (method === 'HEAD' && readable);
      expect([method, published.status === 405]).toEqual([method, !isKnown]);
      if (method === 'HEAD') expect(published.text).toBe('');
      if (isKnown) continue;
      expect(published.headers.get('allow')!.split(', ').sort()).toEqual(
        [...known, ...(readable ? ['HEAD'] : [])].sort(),
      );
      if (method !== 'HEAD') expect(codeOf(published)).toBe('resource_not_found');
    }
  });

  it('lets a page of another origin read its answer only where public keys may come', async () => {
    const open = callersOf(route.declaration).includes('PUBLIC');
    const published = await fixture.request(route, {
      headers: { authorization: `Bearer ${fixture.keys.public}`, origin: strangeOrigin },
    });
    expect(published.headers.get('access-control-allow-origin')).toBe(open ? '*' : null);
    expect(published.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('a route', () => {
  const declare: Record<Method, typeof Get> = {
    GET: Get,
    POST: Post,
    PUT: Put,
    PATCH: Patch,
    DELETE: Delete,
  };

  it.each(names)('%s without its scope stops the boot', (name) => {
    const { method, path, surface, declaration } = routesByName.get(name)!;
    class Forgetful {}
    const { scope: _forgotten, ...rest } = declaration;
    const plain = path.replace(/^\/api\/(v1\/)?/, '');
    declare[method](plain, { ...rest, surfaces: [surface] } as never)(Forgetful.prototype, 'handler', {});
    expect(() => routeTable([Forgetful])).toThrow(/lacks a scope/);
  });
});

describe('the walk', () => {
  it('goes down every route that the gateway serves in a dialect, and every other one is listed', () => {
    const { served } = suite.gateway;
    const inside = served.filter((route) => !outsideRoutes.some((listed) => isListedAs(listed, route)));
    expect(inside.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(names.toSorted());
    const unserved = outsideRoutes.filter((listed) => !served.some((route) => isListedAs(listed, route)));
    expect(unserved).toEqual([]);
  });

  it('has put every caller before every route of a declaration', () => {
    expect(covered.size).toBe(expected);
  });
});
