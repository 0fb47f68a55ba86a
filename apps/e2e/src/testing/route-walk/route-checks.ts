import { expect } from '@jest/globals';
import { scopes } from '@posthorn/contracts';
import { operationAt, operationsOf, type Operation } from '../api-document.js';
import { randomId } from '../bad-input.js';
import { document } from '../described.js';
import { hasId, takesKeys } from '../owned-project.js';
import type { Answer } from '../running-posthorn.js';
import { entryReferencesIn, idParameters, referencesIn, type References } from './id-members.js';
import { strangersDomain, type WalkFixture } from './walk-fixture.js';

/** A check of every route to which it applies. */
export interface RouteCheck {
  says: string;
  appliesTo(operation: Operation): boolean;
  run(operation: Operation, fixture: WalkFixture): Promise<void>;
}

const methods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const always = (): boolean => true;
const codeOf = ({ body }: Answer): string => String(body.code ?? body.error.code).toLowerCase();
const failureOf = ({ body }: Answer): { place: string; code: string } => {
  const [failure] = body.errors ?? body.error.details.errors;
  return { place: (failure.pointer ?? failure.field).replace(/^\//, ''), code: failure.code };
};

/** Another project is refused as a whole, without pointers. */
const isProject = (member: string): boolean => member === 'project_id' || member === 'projectId';

const withoutQuery = (path: string): string => path.replace(/\?.*/, '');

/** Removes what always differs between responses. */
function published({ status, headers, text }: Answer, path: string): unknown {
  const stored = [...headers].filter(([name]) => !['date', 'content-length'].includes(name));
  return [status, stored, text.replace(withoutQuery(path), '').replace(/"request_id":"[^"]*"/, '')];
}

export const routeChecks: readonly RouteCheck[] = [
  {
    says: 'accepts its documented example request',
    appliesTo: always,
    run: async (operation, fixture) => {
      const answer = await fixture.request(operation, await fixture.pathOf(operation), {
        body: await fixture.bodyOf(operation),
      });
      const status = Number(Object.keys(operation.responses)[0]);
      const refusal = answer.status === status ? '' : answer.text;
      expect({ status: answer.status, refusal }).toEqual({ status, refusal: '' });
    },
  },
  {
    says: 'refuses every invalid credential with the same response',
    appliesTo: always,
    run: async (operation, fixture) => {
      const { path, body } = await fixture.refusable(operation);
      const typo = fixture.key.slice(0, -1) + (fixture.key.endsWith('0') ? '1' : '0');
      const none = [
        '',
        'Bearer',
        'Bearer x',
        `Basic ${fixture.key}`,
        `Bearer ${typo}`,
        `Bearer ${fixture.key} x`,
        `Bearer ${fixture.revoked}`,
      ];
      const code = takesKeys(operation) ? 'invalid_api_key' : 'invalid_session';
      const answers: unknown[] = [];
      for (const authorization of none) {
        const answer = await fixture.request(operation, path, { authorization, body });
        expect([authorization, answer.status, codeOf(answer)]).toEqual([authorization, 401, code]);
        answers.push(published(answer, path));
      }
      expect(answers).toEqual(answers.map(() => answers[0]));
    },
  },
  {
    says: 'returns the same bytes for a repeated idempotency key, and 422 for another body',
    appliesTo: ({ parameters = [] }) => parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey')),
    run: async (operation, fixture) => {
      const [path, body] = [await fixture.pathOf(operation), (await fixture.bodyOf(operation))!];
      const requested = { body, idempotencyKey: crypto.randomUUID() };
      const [first, second] = [
        await fixture.request(operation, path, requested),
        await fixture.request(operation, path, requested),
      ];
      expect([first.status, second.text]).toEqual([Number(Object.keys(operation.responses)[0]), first.text]);
      const other = await fixture.request(operation, path, { ...requested, body: anotherOf(body) });
      expect([other.status, codeOf(other)]).toEqual([422, 'idempotency_key_reused']);
    },
  },
  {
    says: 'refuses a key with every scope except its own',
    // Roles on routes for people are checked in the gateway's callers-walk.db.spec.ts.
    appliesTo: takesKeys,
    run: async (operation, fixture) => {
      const key = await fixture.keyWithout(operation, scopes);
      const { path, body } = await fixture.refusable(operation);
      const answer = await fixture.request(operation, path, { key, body });
      expect([answer.status, codeOf(answer)]).toEqual([403, 'scope_missing']);
    },
  },
  {
    says: 'accepts public keys only if it declares so',
    appliesTo: always,
    run: async (operation, fixture) => {
      const isAccepted = operation['x-callers'].includes('PUBLIC');
      const { path, body } = isAccepted
        ? { path: await fixture.pathOf(operation), body: await fixture.bodyOf(operation) }
        : await fixture.refusable(operation);
      const answer = await fixture.request(operation, path, { key: fixture.publicKey, body });
      if (isAccepted) expect(answer.status).toBe(Number(Object.keys(operation.responses)[0]));
      else
        expect([answer.status, codeOf(answer)]).toEqual(
          takesKeys(operation) ? [403, 'scope_missing'] : [401, 'invalid_session'],
        );
    },
  },
  {
    says: 'does not distinguish an id of another project from a random or malformed one',
    // Removing a suppression gets the same response whether it existed (docs/api-decisions.md §5); any address can be explained.
    appliesTo: (operation) =>
      hasId(operation) &&
      !(operation.method === 'DELETE' && operation.path.endsWith('{email}')) &&
      !operation.path.endsWith('{email}/explain'),
    run: async (operation, fixture) => {
      const nobodys = [randomId, 'no-id', '%00', randomId.slice(1)].map((id) => ({ id }));
      const { body } = await fixture.refusable(operation);
      const answers: unknown[] = [];
      for (const resource of [fixture.strangersThingFor(operation), ...nobodys]) {
        const path = fixture.pathWith(operation, resource);
        const answer = await fixture.request(operation, path, { body });
        expect([resource, answer.status, codeOf(answer)]).toEqual([resource, 404, 'resource_not_found']);
        answers.push(published(answer, path));
      }
      expect(answers).toEqual(answers.map(() => answers[0]));
    },
  },
  {
    says: 'accepts no references to another project in its body or query',
    appliesTo: always,
    run: async (operation, fixture) => {
      const entries = entryReferencesIn(fixture.document, operation);
      const references = referencesIn(fixture.document, operation);
      if (entries) await refuseInEntries(operation, fixture, entries);
      if (references.ids.length + references.senders.length > 0)
        await refuseInBody(operation, fixture, references);
      for (const name of idParameters(operation)) {
        const { path } = await fixture.refusable(operation);
        const [theirs, nobodys] = [fixture.strangersUuids[0]!, randomId].map(
          (id) => `${path}?${name}=${id}${fixedWindowOf(operation)}`,
        ) as [string, string];
        const answers = [await fixture.request(operation, theirs), await fixture.request(operation, nobodys)];
        expect(published(answers[0]!, theirs)).toEqual(published(answers[1]!, nobodys));
      }
    },
  },
  {
    says: 'refuses unknown parameters and members',
    appliesTo: always,
    run: async (operation, fixture) => {
      const { path, body } = await fixture.refusable(operation);
      const requested = [
        await fixture.request(operation, `${path}${path.includes('?') ? '&' : '?'}no_such_name=1`, { body }),
        ...(operation.method === 'GET'
          ? []
          : [await fixture.request(operation, path, { body: { ...body, no_such_name: 1 } })]),
      ];
      for (const answer of requested) {
        expect([answer.status, codeOf(answer)]).toEqual([422, 'validation_error']);
        expect(failureOf(answer)).toEqual({ place: 'no_such_name', code: 'unknown_field' });
      }
    },
  },
  {
    says: 'lists the methods of its path in Allow',
    // Once for each path.
    appliesTo: (operation) =>
      operationsOf(document).find(({ path }) => path === operation.path) === operation,
    run: async (operation, fixture) => {
      const { path } = await fixture.refusable(operation);
      const known = methods.filter((method) => operationAt(fixture.document, method, withoutQuery(path)));
      const allowed = known.includes('GET') ? [...known, 'HEAD'] : known;
      for (const method of methods.filter((each) => !known.includes(each))) {
        const answer = await fixture.request({ ...operation, method }, path);
        expect([method, answer.status, codeOf(answer)]).toEqual([method, 405, 'resource_not_found']);
        expect(answer.headers.get('allow')!.split(', ').sort()).toEqual(allowed.sort());
      }
    },
  },
];

/** Without it a report ends at the moment of its request, and says so. */
function fixedWindowOf({ path }: Operation): string {
  if (!path.endsWith('/analytics/emails')) return '';
  return path.startsWith('/api/v1/')
    ? '&from=2026-01-01&to=2026-01-31'
    : '&startDate=2026-01-01&endDate=2026-01-31';
}

/** The same request with one change. */
function anotherOf(body: Record<string, unknown>): Record<string, unknown> {
  const named = ['subject', 'name', 'event'].find((name) => typeof body[name] === 'string');
  if (named) return { ...body, [named]: 'Another one' };
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      Array.isArray(value)
        ? value.slice(1)
        : name.startsWith('scheduled')
          ? '2036-01-31T09:00:00.000Z'
          : value,
    ]),
  );
}

async function refuseInEntries(
  operation: Operation,
  fixture: WalkFixture,
  { list, ...references }: References & { list: string },
): Promise<void> {
  const { path, body } = await fixture.refusable(operation);
  const [first] = body![list] as object[];
  for (const { member, theirs, nobodys } of foreignOf(references, fixture)) {
    const answerTo = (value: unknown) =>
      fixture.request(operation, path, { body: { ...body, [list]: [{ ...first, [member]: value }] } });
    const random = published(await answerTo(nobodys), path);
    for (const value of theirs) {
      const answer = await answerTo(value);
      expect([member, answer.status, answer.body.data[0].status]).toEqual([member, 207, 'error']);
      expect(published(answer, path)).toEqual(random);
    }
  }
}

async function refuseInBody(
  operation: Operation,
  fixture: WalkFixture,
  references: References,
): Promise<void> {
  const { path, body } = await fixture.refusable(operation);
  for (const { member, inside, theirs, nobodys } of foreignOf(references, fixture)) {
    const answerTo = (value: unknown) => {
      if (!inside) return fixture.request(operation, path, { body: { ...body, [member]: value } });
      const [first, ...others] = body![inside] as object[];
      return fixture.request(operation, path, {
        body: { ...body, [inside]: [{ ...first, [member]: value }, ...others] },
      });
    };
    const random = published(await answerTo(nobodys), path);
    for (const value of theirs) {
      const answer = await answerTo(value);
      if (isProject(member)) expect([answer.status, codeOf(answer)]).toEqual([403, 'project_access_denied']);
      else
        expect([member, answer.status, failureOf(answer).place.split(/[/.]/)[0]]).toEqual([
          member,
          422,
          inside ?? member,
        ]);
      expect(published(answer, path)).toEqual(random);
    }
  }
}

/** For each reference: all of the other project, and an unknown one. */
function foreignOf(
  { ids, senders }: References,
  fixture: WalkFixture,
): { member: string; inside?: string | undefined; theirs: unknown[]; nobodys: unknown }[] {
  return [
    ...ids.map(({ member, list, inside }) => ({
      member,
      inside,
      theirs: fixture.strangersUuids.map((id) => (list ? [id] : id)),
      nobodys: list ? [randomId] : randomId,
    })),
    ...senders.map((member) => ({
      member,
      theirs: [`a@${strangersDomain}`],
      nobodys: 'a@nobody.example',
    })),
  ];
}
