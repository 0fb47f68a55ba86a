import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { routeControllers } from '../gateway.module.js';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';
import { codeOf, expectAdmitted, expectRefused, saidBy } from '../testing/walk/dialect-shapes.js';
import { walkCallers } from '../testing/walk/walk-callers.js';
import { strangeOrigin, trustedOrigin, WalkGround } from '../testing/walk/walk-ground.js';
import { Get, Patch, Post, Delete, callersOf, type Method } from './route.js';
import { isListedAs, outsideRoutes } from './outside-routes.js';
import { routeTable } from './route-table.js';

const table = routeTable(routeControllers);
const { routes } = table;
const cases = routes.map((route) => [`${route.method} ${route.path}`, route] as const);
const covered = new Set<string>();

let suite: GatewaySuite;
let ground: WalkGround;

beforeAll(async () => {
  suite = await startGatewaySuite({ TRUSTED_ORIGINS: trustedOrigin });
  ground = new WalkGround(suite);
  await ground.prepare(routes);
});
afterAll(async () => {
  process.stderr.write(
    `callers walk: ${covered.size} of ${routes.length * walkCallers.length} (${routes.length} routes × ${walkCallers.length} callers), ${ground.asked} requests\n`,
  );
  await suite.stop();
});

describe.each(cases)('%s', (name, route) => {
  it.each(walkCallers.map((caller) => [caller.says, caller] as const))('answers %s', async (_, caller) => {
    const shown = caller.shows(ground, route);
    const told = await ground.ask(route, shown);
    const path = ground.pathOf(route, shown.projectId);
    const wanted = caller.hears(route);
    if (wanted === 'admitted') expectAdmitted(told, route, path);
    else expectRefused(told, route, path, wanted);
    covered.add(`${name} ${caller.says}`);
  });

  it('tells the project of a stranger from one that does not exist by no byte', async () => {
    const { cookies, keys, tokens, strangers, nowhere } = ground;
    const said = async (headers: Record<string, string>, projectId: string) =>
      saidBy(await ground.ask(route, { headers, projectId }), projectId);
    const credentials: Record<string, string>[] = [
      { cookie: cookies.OWNER, origin: trustedOrigin },
      { authorization: `Bearer ${keys.full}` },
      { authorization: `Bearer ${tokens.OWNER}` },
    ];
    for (const headers of credentials) {
      const [theirs, nobodys] = [
        await said({ ...headers, 'x-project-id': strangers }, strangers),
        await said({ ...headers, 'x-project-id': nowhere }, nowhere),
      ];
      expect(theirs).toEqual(nobodys);
    }
  });

  it('says the same of every credential that is none', async () => {
    const { keys, unknown } = ground;
    const said = await Promise.all(
      [unknown, keys.revoked, 'sk_live_x', `${unknown}x`].map(async (token) =>
        saidBy(await ground.ask(route, { headers: { authorization: `Bearer ${token}` } })),
      ),
    );
    expect(said).toEqual(said.map(() => said[0]));
  });

  it('has a HEAD where it has a GET, and a 405 that names its methods for the rest', async () => {
    const headers = { authorization: `Bearer ${ground.keys.full}` };
    // A path may be that of a route and, by chance, of one with an id.
    const known: string[] = [...new Set(table.at(ground.pathOf(route)).map(({ method }) => method))];
    const readable = known.includes('GET');
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']) {
      const told = await ground.ask(route, { headers }, method);
      const isKnown = known.includes(method) || (method === 'HEAD' && readable);
      expect([method, told.status === 405]).toEqual([method, !isKnown]);
      if (method === 'HEAD') expect(told.text).toBe('');
      if (isKnown) continue;
      expect(told.headers.get('allow')!.split(', ').sort()).toEqual([...known, ...(readable ? ['HEAD'] : [])].sort());
      if (method !== 'HEAD') expect(codeOf(told)).toBe('resource_not_found');
    }
  });

  it('lets a page of another origin read its answer only where public keys may come', async () => {
    const open = callersOf(route.declaration).includes('PUBLIC');
    const told = await ground.ask(route, { headers: { authorization: `Bearer ${ground.keys.public}`, origin: strangeOrigin } });
    expect(told.headers.get('access-control-allow-origin')).toBe(open ? '*' : null);
    expect(told.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('a route', () => {
  const declare: Partial<Record<Method, typeof Get>> = { GET: Get, POST: Post, PATCH: Patch, DELETE: Delete };

  it.each(cases)('%s without its scope stops the boot', (_, { method, path, surface, declaration }) => {
    class Forgetful {}
    const { scope: _forgotten, ...rest } = declaration;
    const plain = path.replace(/^\/api\/(v1\/)?/, '');
    declare[method]!(plain, { ...rest, surfaces: [surface] } as never)(Forgetful.prototype, 'handler', {});
    expect(() => routeTable([Forgetful])).toThrow(/lacks a scope/);
  });
});

describe('the walk', () => {
  it('goes down every route that the gateway serves in a dialect, and every other one is listed', () => {
    const { served } = suite.gateway;
    const inside = served.filter((route) => !outsideRoutes.some((listed) => isListedAs(listed, route)));
    expect(inside.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(cases.map(([name]) => name).sort());
    const unserved = outsideRoutes.filter((listed) => !served.some((route) => isListedAs(listed, route)));
    expect(unserved).toEqual([]);
  });

  it('has put every caller before every route', () => {
    expect(covered.size).toBe(routes.length * walkCallers.length);
  });
});
