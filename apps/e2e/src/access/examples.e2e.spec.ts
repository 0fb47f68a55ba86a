import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import { operationsOf, type Operation } from '../testing/api-document.js';
import { withPosthorn } from '../testing/bad-input.js';
import { document } from '../testing/described.js';
import { bodyFor, nameOf, queryFor } from '../testing/examples/calls.js';
import { normalised } from '../testing/examples/normalise.js';
import { hasId, OwnedProject } from '../testing/owned-project.js';
import { nounOf, nouns } from '../testing/resources.js';
import type { Answer } from '../testing/running-posthorn.js';

// `npm run docs:examples` records what is otherwise compared, into a file that replaces the committed one if
// no test failed.
const file = 'apps/gateway/src/openapi/examples.recorded.json';
const aside = 'dist/examples.recorded.json';
const recording = process.env['POSTHORN_RECORD_EXAMPLES'] === 'true';

interface Recorded {
  operations: Record<string, { request?: unknown; answer: unknown }>;
  refusals: Record<string, unknown>;
}

// Paused, so that a message stays PENDING; with a limit that only one key reaches.
const suite = withPosthorn({
  DELIVERY_PAUSED: 'true',
  RATE_LIMIT_ENABLED: 'true',
  RATE_LIMIT_SECRET_PER_SECOND: '100000',
  RATE_LIMIT_SESSION_PER_SECOND: '100000',
  TRUSTED_PROXIES: '127.0.0.1',
});
const committed = JSON.parse(readFileSync(file, 'utf8')) as Recorded;
const published: Recorded = { operations: {}, refusals: {} };
const operations = operationsOf(document);
let ours: OwnedProject;
let scopeless: string;

/** Made once: each of that size is collected with a pause. */
const tooLarge = Buffer.from(`"${'x'.repeat(15 * 1024 * 1024)}"`);
/** An unknown id, as the examples show it. */
const nobodys = '019b76da-a800-7000-8000-000000000001';
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const example = (value: unknown) => normalised(value, 'http://localhost:3000');

/** With the key, or with the session where only people may call. */
const requestWith = (
  operation: Operation,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  suite.posthorn.request(operation.method, path, body, { ...ours.headersFor(operation), ...headers });

/** The first refusal with a description is the example of all with it. */
function keep(operation: Operation, { status, body }: Answer): void {
  published.refusals[refusalOf(operation, status)] ??= example(body);
}

/** The route walk and the specs of bad input look at the refusals of each route; here a large body needs to travel once for each description. */
const isKept = (operation: Operation, status: number): boolean =>
  refusalOf(operation, status) in published.refusals;

function refusalOf(operation: Operation, status: number): string {
  const response = operation.responses[status];
  return response && '$ref' in response
    ? response.$ref.split('/').pop()!
    : `${prefixOf(operation)}ResourceNotFound405`;
}

const prefixOf = (operation: Operation): string => (operation['x-surface'] === 'v1' ? '' : 'Legacy');

beforeAll(async () => {
  scopeless = (await suite.operator('keys', 'create', '--name', 'scopeless', '--scopes', 'topics:read'))[
    'token'
  ]!;
  ours = await OwnedProject.ours(suite.posthorn, suite.operator);
  for (const noun of nouns) for (let count = 0; count < 2; count += 1) await ours.make(noun);
});

afterAll(() => {
  const sorted = {
    operations: published.operations,
    refusals: Object.fromEntries(Object.entries(published.refusals).sort()),
  };
  if (recording) writeFileSync(aside, `${JSON.stringify(sorted, null, 2)}\n`);
});

describe('the example of', () => {
  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    '%s matches the response',
    async (id, operation) => {
      const path = await ours.pathTo(operation);
      const body = await ours.freshened(bodyFor(operation));
      const answer = await requestWith(operation, `${path}${queryFor(operation)}`, body);
      expect(answer.status).toBe(Number(Object.keys(operation.responses)[0]));
      // The other surface uses the same address or name.
      if (['POST contacts', 'POST snippets', 'POST segments'].includes(nameOf(operation)))
        await forget(operation, answer);
      if (/^POST contacts\/imports?$/.test(nameOf(operation))) await ended(answer, 'contacts/imports');
      if (nameOf(operation) === 'POST email-validations/import') await ended(answer, 'email-validations');
      published.operations[id] = {
        ...(body ? { request: example(body) } : {}),
        answer: example(answer.body),
      };
      if (!recording) expect(published.operations[id]).toEqual(committed.operations[id]);
    },
  );
});

/** A list of such jobs must show a finished one, whenever it is called. */
async function ended({ body }: Answer, of: string): Promise<void> {
  const path = `/api/v1/${of}/${body.id ?? body.data.id}`;
  await eventually(
    async () => (await ours.requested('GET', path, undefined, 'key')).body.finished_at as string | null,
    'the job is finished',
  );
}

async function forget({ path }: Operation, { body }: Answer): Promise<void> {
  await suite.posthorn.request('DELETE', `${path}/${body.id ?? body.data.id}`);
}

describe('every kind of refusal', () => {
  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    'is recorded: %s',
    async (_, operation) => {
      const { posthorn } = suite;
      const { method } = operation;
      const missing = ours.pathWith(operation, { id: nobodys });
      const path = await ours.refusablePathTo(operation);
      const unread = method === 'GET' ? undefined : bodyFor(operation);
      keep(operation, await posthorn.request(method, path, undefined, { authorization: '' }));
      keep(operation, await posthorn.request(method, path, undefined, bearer(scopeless)));
      keep(
        operation,
        await requestWith(operation, `${path}${path.includes('?') ? '&' : '?'}nothing=1`, unread),
      );
      if (hasId(operation)) keep(operation, await requestWith(operation, missing, unread));
      if (path.includes(ours.id))
        keep(operation, await requestWith(operation, path.replace(ours.id, nobodys), unread));
      if (method !== 'GET')
        keep(
          operation,
          await posthorn.request(method, path, unread, {
            ...ours.owner.headers,
            origin: 'https://elsewhere.example',
          }),
        );
      if (operation.requestBody) {
        if (!isKept(operation, 413)) keep(operation, await requestWith(operation, path, tooLarge));
        keep(operation, await requestWith(operation, path, '{"name":'));
        keep(
          operation,
          await requestWith(operation, path, 'name=', {
            'content-type': 'application/x-www-form-urlencoded',
          }),
        );
      }
      if (nounOf(operation) === 'contacts') keep(operation, await posthorn.request('PUT', path));
    },
  );

  it('is recorded: conflicts and limits', async () => {
    const { posthorn } = suite;
    for (const operation of operations.filter((each) =>
      ['POST contacts', 'POST emails'].includes(nameOf(each)),
    )) {
      const again = () =>
        posthorn.request(
          operation.method,
          operation.path,
          bodyFor(operation),
          bearer(posthorn.dev.publicKey),
        );
      if (nameOf(operation) === 'POST contacts') {
        await posthorn.request(operation.method, operation.path, bodyFor(operation));
        keep(operation, await posthorn.request(operation.method, operation.path, bodyFor(operation)));
      } else {
        const burst = await Promise.all(Array.from({ length: 12 }, again));
        const refused = burst.find(({ status }) => status === 429);
        expect(refused).toBeDefined();
        keep(operation, refused!);
      }
    }
  });

  it('is recorded: an unsubscribed member', async () => {
    const { posthorn } = suite;
    for (const operation of operations.filter((each) => nameOf(each) === 'POST lists/{id}/subscribe')) {
      const path = await ours.pathTo(operation);
      const request = (to: string) => posthorn.request('POST', to, { email: 'grace@example.com' });
      await request(path);
      await request(path.replace('/subscribe', '/unsubscribe'));
      keep(operation, await request(path));
    }
  });

  it('is recorded: a used reveal link', async () => {
    for (const operation of operations.filter(
      (each) => each.method === 'GET' && each.path.endsWith('/reveal'),
    )) {
      const path = await ours.pathTo(operation);
      await requestWith(operation, path);
      keep(operation, await requestWith(operation, path));
    }
  });

  it('has the committed example', () => {
    if (!recording) expect(published.refusals).toEqual(committed.refusals);
    const without = Object.keys(document.components.responses).filter(
      (name) => !(name in published.refusals),
    );
    // These need a broken product and cannot be recorded.
    expect(
      without.filter((name) => !/^(Legacy)?(InternalError50[034]|EnqueueFailed503)$|(408|431)$/.test(name)),
    ).toEqual([]);
  });
});
