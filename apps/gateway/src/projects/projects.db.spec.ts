import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiKeys, projects, type ProjectEvent } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { operatorOf, startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';

let suite: GatewaySuite;
beforeAll(async () => {
  suite = await startGatewaySuite();
});
afterAll(() => suite.stop());

const eventsOf = async (projectId: string, event: string) => {
  const rows = await suite.database.query<{ items: object[] }>(
    `SELECT items FROM outbox WHERE project_id = $1 AND event_name = $2 ORDER BY id`,
    [projectId, event],
  );
  return rows.flatMap(({ items }) => items);
};

describe('projects', () => {
  it('publish every change in order', async () => {
    const { projectId, caller } = await suite.buildProject();
    const disabled = await suite.bus.call(projects.disable, caller, { id: projectId, reason: 'MANUAL' });
    expect(disabled).toMatchObject({ disabled: true, disabledReason: 'MANUAL', seq: 2 });
    await suite.bus.call(projects.disable, caller, { id: projectId, reason: 'MANUAL' });
    expect(await suite.bus.call(projects.enable, caller, { id: projectId })).toMatchObject({
      disabled: false,
      disabledReason: null,
      seq: 3,
    });
    expect(await suite.bus.call(projects.get, caller, { id: projectId })).toMatchObject({
      name: 'A project',
      seq: 3,
    });
    const events = (await eventsOf(projectId, 'gateway.project.changed')) as ProjectEvent[];
    expect(events.map(({ seq, disabledReason }) => [seq, disabledReason])).toEqual([
      [1, null],
      [2, 'MANUAL'],
      [3, null],
    ]);
  });

  it('are changed one after another under concurrency', async () => {
    const { projectId, caller } = await suite.buildProject();
    await Promise.all(
      [1, 2, 3, 4, 5].map((secretPerSecond) =>
        suite.bus.call(projects.limit, caller, { id: projectId, secretPerSecond, publicPerSecond: null }),
      ),
    );
    expect((await suite.bus.call(projects.get, caller, { id: projectId })).seq).toBe(6);
  });

  it('are listed newest first, in pages, each once', async () => {
    const made = [];
    for (let count = 0; count < 5; count += 1) made.push((await suite.buildProject()).projectId);
    const seen: string[] = [];
    let after: { at: Date; id: string } | undefined;
    do {
      const page = await suite.bus.call(projects.list, operatorOf(newId()), { limit: 2, after });
      seen.push(...page.items.map(({ id }) => id));
      after = page.next ?? undefined;
    } while (after);
    expect(seen.slice(0, 5)).toEqual(made.reverse());
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('are 404 if unknown', async () => {
    for (const contract of [projects.get, projects.enable]) {
      await expect(suite.bus.call(contract, operatorOf(newId()), { id: newId() })).rejects.toMatchObject({
        kind: 'not_found',
      });
    }
  });
});

describe('API keys', () => {
  it('are stored as a hash and publish their creation and revocation', async () => {
    const { projectId, caller } = await suite.buildProject();
    const { token, ...key } = await suite.buildKey(projectId, {
      mode: 'TEST',
      legacyGrantPreset: 'SENDING_ONLY',
    });
    expect(token).toMatch(/^pk_test_/);
    const [row] = await suite.database.query(`SELECT to_jsonb(api_keys) AS row FROM api_keys WHERE id = $1`, [
      key.id,
    ]);
    expect(JSON.stringify(row)).not.toContain(token);
    expect(await suite.bus.call(apiKeys.revoke, caller, { id: key.id })).toMatchObject({
      id: key.id,
      revokedAt: expect.any(Date),
    });
    await suite.bus.call(apiKeys.revoke, caller, { id: key.id });
    const { keys } = await suite.bus.call(apiKeys.list, caller, {});
    expect(keys).toMatchObject([
      { id: key.id, projectId, mode: 'TEST', scopes: [], revokedAt: expect.any(Date) },
    ]);
    expect(await eventsOf(projectId, 'gateway.api_key.created')).toHaveLength(1);
    expect(await eventsOf(projectId, 'gateway.api_key.revoked')).toHaveLength(1);
  });

  it('have only scopes of their kind', async () => {
    const { projectId } = await suite.buildProject();
    const refused = (wanted: object) =>
      expect(suite.buildKey(projectId, wanted)).rejects.toMatchObject({ kind: 'invalid' });
    await refused({ legacyGrantPreset: 'SENDING_ONLY', scopes: ['emails:read'] });
    await refused({ scopes: ['emails:everything'] });
    await refused({ name: '' });
    expect((await suite.buildKey(projectId, { scopes: ['emails:send', 'emails:send'] })).scopes).toEqual([
      'emails:send',
    ]);
  });

  it('belong to one existing project', async () => {
    await expect(suite.buildKey(newId())).rejects.toMatchObject({ kind: 'not_found' });
    const [mine, theirs] = [await suite.buildProject(), await suite.buildProject()];
    const { id } = await suite.buildKey(mine.projectId);
    await expect(suite.bus.call(apiKeys.revoke, theirs.caller, { id })).rejects.toMatchObject({
      kind: 'not_found',
      message: 'No such API key',
    });
    await expect(suite.bus.call(apiKeys.revoke, theirs.caller, { id: newId() })).rejects.toMatchObject({
      kind: 'not_found',
      message: 'No such API key',
    });
  });
});
