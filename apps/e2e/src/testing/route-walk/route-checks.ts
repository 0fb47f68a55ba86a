import { expect } from '@jest/globals';
import { scopes } from '@posthorn/contracts';
import { operationAt, type Operation } from '../api-document.js';
import { randomId } from '../bad-input.js';
import { hasId, takesKeys } from '../owned-project.js';
import type { Answer } from '../running-posthorn.js';
import { entryReferencesIn, idParameters, referencesIn, type References } from './id-members.js';
import { strangersDomain, type WalkGround } from './walk-ground.js';

/** One thing that is asked of every route to which it applies. */
export interface RouteCheck {
  says: string;
  appliesTo(operation: Operation, ground: WalkGround): boolean;
  run(operation: Operation, ground: WalkGround): Promise<void>;
}

const methods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const always = (): boolean => true;
const codeOf = ({ body }: Answer): string => String(body.code ?? body.error.code).toLowerCase();
const failureOf = ({ body }: Answer): { place: string; code: string } => {
  const [failure] = body.errors ?? body.error.details.errors;
  return { place: (failure.pointer ?? failure.field).replace(/^\//, ''), code: failure.code };
};

/** Another project is refused as a whole, and no member of the request is at fault. */
const isProject = (member: string): boolean => member === 'project_id' || member === 'projectId';

const withoutQuery = (path: string): string => path.replace(/\?.*/, '');

/** What two answers say apart from what every answer says anew. */
function told({ status, headers, text }: Answer, path: string): unknown {
  const kept = [...headers].filter(([name]) => !['date', 'content-length'].includes(name));
  return [status, kept, text.replace(withoutQuery(path), '').replace(/"request_id":"[^"]*"/, '')];
}

export const routeChecks: readonly RouteCheck[] = [
  {
    says: 'is reached by a request as the document shows it',
    appliesTo: always,
    run: async (operation, ground) => {
      const answer = await ground.ask(operation, await ground.pathOf(operation), { body: await ground.bodyOf(operation) });
      expect(answer.status).toBe(Number(Object.keys(operation.responses)[0]));
    },
  },
  {
    says: 'refuses every credential that is none, in the same words',
    appliesTo: always,
    run: async (operation, ground) => {
      const path = await ground.pathOf(operation);
      const typo = ground.key.slice(0, -1) + (ground.key.endsWith('0') ? '1' : '0');
      const none = [
        '',
        'Bearer',
        'Bearer x',
        `Basic ${ground.key}`,
        `Bearer ${typo}`,
        `Bearer ${ground.key} x`,
        `Bearer ${ground.revoked}`,
      ];
      const code = takesKeys(operation) ? 'invalid_api_key' : 'invalid_session';
      const answers: unknown[] = [];
      for (const authorization of none) {
        const answer = await ground.ask(operation, path, { authorization, body: await ground.bodyOf(operation) });
        expect([authorization, answer.status, codeOf(answer)]).toEqual([authorization, 401, code]);
        answers.push(told(answer, path));
      }
      expect(answers).toEqual(answers.map(() => answers[0]));
    },
  },
  {
    says: 'answers a repeat under one idempotency key by the same bytes, and another body by 422',
    appliesTo: ({ parameters = [] }) => parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey')),
    run: async (operation, ground) => {
      const [path, body] = [await ground.pathOf(operation), (await ground.bodyOf(operation))!];
      const asked = { body, idempotencyKey: crypto.randomUUID() };
      const [first, second] = [await ground.ask(operation, path, asked), await ground.ask(operation, path, asked)];
      expect([first.status, second.text]).toEqual([Number(Object.keys(operation.responses)[0]), first.text]);
      const other = await ground.ask(operation, path, { ...asked, body: anotherOf(body) });
      expect([other.status, codeOf(other)]).toEqual([422, 'idempotency_key_reused']);
    },
  },
  {
    says: 'refuses a key that has every scope but its own',
    // No key comes where only people may: their roles are walked in the gateway's callers-walk.db.spec.ts.
    appliesTo: takesKeys,
    run: async (operation, ground) => {
      const key = await ground.keyWithout(operation, scopes);
      const answer = await ground.ask(operation, await ground.pathOf(operation), { key, body: await ground.bodyOf(operation) });
      expect([answer.status, codeOf(answer)]).toEqual([403, 'scope_missing']);
    },
  },
  {
    says: 'admits public keys only where it says so',
    appliesTo: always,
    run: async (operation, ground) => {
      const path = await ground.pathOf(operation);
      const answer = await ground.ask(operation, path, { key: ground.publicKey, body: await ground.bodyOf(operation) });
      if (operation['x-callers'].includes('PUBLIC')) expect(answer.status).toBe(Number(Object.keys(operation.responses)[0]));
      else expect([answer.status, codeOf(answer)]).toEqual(takesKeys(operation) ? [403, 'scope_missing'] : [401, 'invalid_session']);
    },
  },
  {
    says: 'tells an id of another project from a random or malformed one by no byte',
    // Whoever takes an address off a list hears the same whether it stood there (contract.md §5).
    appliesTo: (operation) => hasId(operation) && !(operation.method === 'DELETE' && operation.path.endsWith('{email}')),
    run: async (operation, ground) => {
      const nobodys = [randomId, 'no-id', '%00', randomId.slice(1)].map((id) => ({ id }));
      const answers: unknown[] = [];
      for (const thing of [ground.strangersThingFor(operation), ...nobodys]) {
        const path = ground.pathWith(operation, thing);
        const answer = await ground.ask(operation, path, { body: await ground.bodyOf(operation) });
        expect([thing, answer.status, codeOf(answer)]).toEqual([thing, 404, 'resource_not_found']);
        answers.push(told(answer, path));
      }
      expect(answers).toEqual(answers.map(() => answers[0]));
    },
  },
  {
    says: 'takes nothing of another project in its body or its query',
    appliesTo: always,
    run: async (operation, ground) => {
      const entries = entryReferencesIn(ground.document, operation);
      for (const { member, theirs, nobodys } of entries ? foreignOf(entries, ground) : []) {
        const path = await ground.pathOf(operation);
        const body = (await ground.bodyOf(operation))!;
        const [first] = body[entries!.list] as object[];
        const asked = [theirs, nobodys].map((value) => ({ ...body, [entries!.list]: [{ ...first, [member]: value }] }));
        const [answer, random] = [
          await ground.ask(operation, path, { body: asked[0]! }),
          await ground.ask(operation, path, { body: asked[1]! }),
        ];
        expect([member, answer.status, answer.body.data[0].status]).toEqual([member, 207, 'error']);
        expect(told(answer, path)).toEqual(told(random, path));
      }
      for (const { member, theirs, nobodys } of foreignOf(referencesIn(ground.document, operation), ground)) {
        const path = await ground.pathOf(operation);
        const body = await ground.bodyOf(operation);
        const [answer, random] = [
          await ground.ask(operation, path, { body: { ...body, [member]: theirs } }),
          await ground.ask(operation, path, { body: { ...body, [member]: nobodys } }),
        ];
        if (isProject(member)) expect([answer.status, codeOf(answer)]).toEqual([403, 'project_access_denied']);
        else expect([member, answer.status, failureOf(answer).place.split(/[/.]/)[0]]).toEqual([member, 422, member]);
        expect(told(answer, path)).toEqual(told(random, path));
      }
      for (const name of idParameters(operation)) {
        const path = await ground.pathOf(operation);
        const [theirs, nobodys] = [ground.strangersUuids[0]!, randomId].map((id) => `${path}?${name}=${id}`) as [string, string];
        const answers = [await ground.ask(operation, theirs), await ground.ask(operation, nobodys)];
        expect(told(answers[0]!, theirs)).toEqual(told(answers[1]!, nobodys));
      }
    },
  },
  {
    says: 'refuses a parameter and a member that it does not know',
    appliesTo: always,
    run: async (operation, ground) => {
      const path = await ground.pathOf(operation);
      const body = await ground.bodyOf(operation);
      const asked = [
        await ground.ask(operation, `${path}${path.includes('?') ? '&' : '?'}no_such_name=1`, { body }),
        ...(operation.method === 'GET' ? [] : [await ground.ask(operation, path, { body: { ...body, no_such_name: 1 } })]),
      ];
      for (const answer of asked) {
        expect([answer.status, codeOf(answer)]).toEqual([422, 'validation_error']);
        expect(failureOf(answer)).toEqual({ place: 'no_such_name', code: 'unknown_field' });
      }
    },
  },
  {
    says: 'says which methods its path knows',
    appliesTo: always,
    run: async (operation, ground) => {
      const path = await ground.pathOf(operation);
      const known = methods.filter((method) => operationAt(ground.document, method, withoutQuery(path)));
      const allowed = known.includes('GET') ? [...known, 'HEAD'] : known;
      for (const method of methods.filter((each) => !known.includes(each))) {
        const answer = await ground.ask({ ...operation, method }, path);
        expect([method, answer.status, codeOf(answer)]).toEqual([method, 405, 'resource_not_found']);
        expect(answer.headers.get('allow')!.split(', ').sort()).toEqual(allowed.sort());
      }
    },
  },
];

/** The same request with one thing changed. */
function anotherOf(body: Record<string, unknown>): Record<string, unknown> {
  const named = ['subject', 'name', 'event'].find((name) => typeof body[name] === 'string');
  if (named) return { ...body, [named]: 'Another one' };
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, Array.isArray(value) ? value.slice(1) : value]));
}

/** What a stranger has, beside what nobody has, for each member that names something. */
function foreignOf({ ids, senders }: References, ground: WalkGround): { member: string; theirs: unknown; nobodys: unknown }[] {
  const foreign = ids.flatMap(({ member, list }) =>
    ground.strangersUuids.map((id) => ({ member, theirs: list ? [id] : id, nobodys: list ? [randomId] : randomId })),
  );
  return [...foreign, ...senders.map((member) => ({ member, theirs: `a@${strangersDomain}`, nobodys: 'a@nobody.example' }))];
}
