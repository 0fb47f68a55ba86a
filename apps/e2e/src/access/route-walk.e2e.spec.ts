import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operationsOf } from '../testing/api-document.js';
import { withPosthorn } from '../testing/bad-input.js';
import { document } from '../testing/described.js';
import { routeChecks } from '../testing/route-walk/route-checks.js';
import { WalkFixture } from '../testing/route-walk/walk-fixture.js';

// Paused, so that a message is still PENDING when it is cancelled.
const suite = withPosthorn({ DELIVERY_PAUSED: 'true', TRUSTED_PROXIES: '127.0.0.1' });
const operations = operationsOf(document).map(
  (operation) => [`${operation.method} ${operation.path}`, operation] as const,
);
/** Jest copies the parameters of every test, so tests get names instead of checks and operations. */
const checksByName = new Map(routeChecks.map((check) => [check.says, check]));
const operationsByName = new Map(operations);
let fixture: WalkFixture;

beforeAll(async () => {
  fixture = new WalkFixture(document, suite.posthorn, suite.operator);
  await fixture.prepare();
});

// Bypasses the reporter, which would add a location to every line.
afterAll(
  () =>
    void process.stderr.write(
      `route walk: ${fixture.walked.size} of ${operations.length} routes, ${fixture.checks} checks\n`,
    ),
);

describe('the walked routes', () => {
  it('are all that the product serves', async () => {
    expect((await suite.posthorn.get('/openapi.json')).body).toEqual(document);
  });
});

describe.each([...checksByName.keys()])('every route %s', (says) => {
  const check = checksByName.get(says)!;
  const names = operations.filter(([, operation]) => check.appliesTo(operation)).map(([name]) => name);
  it.each(names)('%s', (name) => check.run(operationsByName.get(name)!, fixture));
});

describe('the walk', () => {
  it('left the other project unchanged', () => fixture.expectStrangerUntouched());

  it('visited every route', () => {
    expect([...fixture.walked].sort()).toEqual(operations.map(([, { operationId }]) => operationId).sort());
  });
});
