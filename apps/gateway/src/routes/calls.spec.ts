import { describe, expect, it } from '@jest/globals';
import {
  executions,
  type RecordEvent,
  CreateEvent,
  ExecutionFilter,
  Execution,
  events,
  keyInFlight,
  snippetNotFound,
  snippets,
  UpdateSnippet,
  workflowGraphs,
  type Caller,
} from '@posthorn/contracts';
import type { Bus } from '@posthorn/messaging';
import { get, list, patch, post, remove, routes } from './calls.js';
import type { RouteRequest } from './route-request.js';

const common = { read: 'templates:read', write: 'templates:write', missing: snippetNotFound } as const;
const caller = { projectId: 'p' } as Caller;
const declared = (calls: Parameters<typeof routes>[2]) => routes('things', common, calls).routes;
const asked = async (calls: Parameters<typeof routes>[2], request: Partial<RouteRequest>) => {
  const asked: unknown[][] = [];
  const call = (...given: unknown[]) => Promise.resolve({ calls: asked.push(given) });
  await declared(calls)[0]!.call(
    { call } as unknown as Bus,
    { caller, params: {}, ...request } as RouteRequest,
  );
  return asked[0]!.slice(1);
};

describe('a table of calls', () => {
  it('takes what the path says out of the body, and the page out of the query', () => {
    const [update, stop, found] = declared({
      update: patch('snippets/:id', snippets.update, 's'),
      delete: remove('snippets/:id', snippets.delete, 's'),
      list: list('workflows/:id/executions', executions.list, 's', { named: { id: 'workflowId' } }),
    }).map(({ declaration }) => declaration);
    expect(update).toMatchObject({ scope: 'templates:write', body: UpdateSnippet, missing: snippetNotFound });
    expect(stop).toMatchObject({ success: 'deleted', body: null });
    expect(found).toMatchObject({ query: ExecutionFilter, reply: Execution, listed: 'items' });
  });

  it('asks with the scope for reading wherever the contract only reads', () => {
    const [given, read] = declared({
      validate: post('workflows/:id/graph/validate', workflowGraphs.validate, 's'),
      get: get('workflows/:id/graph', workflowGraphs.get, 's'),
    }).map(({ declaration }) => declaration);
    expect([given!.scope, given!.onlyReads, read!.scope, read!.onlyReads]).toEqual([
      ...['templates:read', true],
      ...['templates:read', undefined],
    ]);
  });

  it('calls with all that the request says, and lets the path have the last word', async () => {
    const version = { version: get('workflows/:id/versions/:version/graph', workflowGraphs.version, 's') };
    expect(await asked(version, { params: { id: 'w', version: '3' } })).toEqual([
      caller,
      { id: 'w', version: 3 },
      undefined,
    ]);
    const also = { description: () => 'of the gateway' };
    const update = { update: patch('snippets/:id', snippets.update, 's', { body: UpdateSnippet, also }) };
    expect(await asked(update, { params: { id: 'x' }, body: { id: 'y', name: 'n' } })).toEqual([
      caller,
      { id: 'x', name: 'n', description: 'of the gateway' },
      undefined,
    ]);
  });

  it('hands the key of an idempotent request on, and waits as long as it says', async () => {
    const record = {
      record: post('events', events.record, 's', {
        idempotent: true,
        errors: [keyInFlight],
        waits: ({ name }: RecordEvent) => ({ timeoutMs: name.length }),
      }),
    };
    expect(declared(record)[0]!.declaration.body).toBe(CreateEvent);
    const idempotency = { key: 'k', operation: 'o', bodyHash: 'h' };
    expect(await asked(record, { body: { name: 'abc' }, idempotency })).toEqual([
      caller,
      { name: 'abc', idempotency },
      { timeoutMs: 3 },
    ]);
  });

  it('stops the start for a path that names what the contract does not have', () => {
    expect(() => declared({ get: get('snippets/:snippetId', snippets.get, 's') })).toThrow(
      'GET snippets/:snippetId: sending.snippets.get has no member snippetId',
    );
    const also = { name: () => 'n' };
    expect(() => declared({ update: patch('snippets/:id', snippets.update, 's', { also }) })).toThrow(
      'no part of UpdateSnippetById has only',
    );
  });
});
