import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  campaignEvents,
  campaigns,
  type Caller,
  type Campaign,
  type CreateCampaignOnce,
  type IdempotentRequest,
} from '@posthorn/contracts';
import { eventually, lockWaiters } from '@posthorn/testing';
import { startCampaignsSuite, type CampaignsSuite } from '../testing/campaigns-suite.js';

const claim = (overrides: Partial<IdempotentRequest> = {}): IdempotentRequest => ({
  key: 'once',
  operation: 'POST /api/v1/campaigns',
  bodyHash: 'a'.repeat(64),
  ...overrides,
});

describe('an Idempotency-Key on the creation of a campaign', () => {
  let suite: CampaignsSuite;
  beforeAll(async () => {
    suite = await startCampaignsSuite({ breakable: true });
  });
  afterAll(() => suite.stop());

  const create = (
    caller: Caller,
    idempotency: IdempotentRequest,
    wanted: Partial<CreateCampaignOnce> = {},
  ): Promise<Campaign> => {
    const body = { name: 'Spring', audienceType: 'ALL', ...wanted, idempotency } as CreateCampaignOnce;
    return suite.bus.call(campaigns.create, caller, body);
  };
  const count = async (caller: Caller) =>
    (await suite.bus.call(campaigns.list, caller, { withTotal: true })).total;
  const age = (projectId: string, hours: number) =>
    suite.database.query(
      `UPDATE idempotency_keys SET created_at = now() - make_interval(mins => $2) WHERE project_id = $1`,
      [projectId, hours * 60],
    );

  it('creates one campaign from fifty concurrent requests; all get its receipt or a conflict', async () => {
    const { caller, projectId } = suite.buildProject();
    const settled = await Promise.allSettled(
      Array.from({ length: 50 }, () => create(caller, claim(), { from: 'news@example.test' })),
    );
    const receipts = settled.flatMap((each) =>
      each.status === 'fulfilled' ? [JSON.stringify(each.value)] : [],
    );
    expect(new Set(receipts).size).toBe(1);
    for (const each of settled)
      if (each.status === 'rejected')
        expect(each.reason).toMatchObject({
          kind: 'conflict',
          code: 'conflict',
          details: { retryAfterSeconds: 1 },
        });
    expect(await count(caller)).toBe(1);
    expect(await suite.eventsOf(projectId, campaignEvents.changed)).toHaveLength(1);
    expect(JSON.stringify(await create(caller, claim(), { from: 'news@example.test' }))).toBe(receipts[0]);
  });

  it('is a conflict while its request runs, and is released when that request dies', async () => {
    const { caller, projectId } = suite.buildProject();
    const died = new Error('died');
    const held = suite.database.transaction(async () => {
      await suite.database.query(`SELECT pg_advisory_xact_lock(hashtextextended($1 || $2 || $3, 24))`, [
        projectId,
        claim().operation,
        claim().key,
      ]);
      await expect(create(caller, claim())).rejects.toMatchObject({ kind: 'conflict' });
      throw died;
    });
    await expect(held).rejects.toBe(died);
    await create(caller, claim());
    expect(await count(caller)).toBe(1);
  });

  it('repeats the first answer, whatever has changed since', async () => {
    const { caller } = suite.buildProject();
    const wanted = { from: 'news@gone.example', subject: 'Hello — ✓' };
    suite.verified.add('gone.example');
    const first = await create(caller, claim(), wanted);
    suite.verified.delete('gone.example');
    await suite.bus.call(campaigns.update, caller, { id: first.id, name: 'Changed' });
    expect(JSON.stringify(await create(caller, claim(), wanted))).toBe(JSON.stringify(first));
    await suite.bus.call(campaigns.delete, caller, { id: first.id });
    expect(JSON.stringify(await create(caller, claim(), wanted))).toBe(JSON.stringify(first));
    expect(await count(caller)).toBe(0);
  });

  it('is refused with another body', async () => {
    const { caller } = suite.buildProject();
    await create(caller, claim());
    const other = claim({ bodyHash: 'b'.repeat(64) });
    await expect(create(caller, other, { name: 'Other' })).rejects.toMatchObject({
      kind: 'invalid',
      code: 'idempotency_key_reused',
    });
    expect(await count(caller)).toBe(1);
  });

  it('belongs to one project and one operation', async () => {
    const [mine, theirs] = [suite.buildProject(), suite.buildProject()];
    const made = await Promise.all([
      create(mine.caller, claim()),
      create(theirs.caller, claim()),
      create(mine.caller, claim({ operation: 'POST /api/campaigns' })),
    ]);
    expect(new Set(made.map(({ id }) => id)).size).toBe(3);
  });

  it('is not consumed by a refused request', async () => {
    const { caller } = suite.buildProject();
    const refused = create(caller, claim(), { from: 'news@stranger.example' });
    await expect(refused).rejects.toMatchObject({ kind: 'invalid' });
    await expect(create(caller, claim(), { audienceType: 'LIST' })).rejects.toMatchObject({
      kind: 'invalid',
    });
    await create(caller, claim({ bodyHash: 'b'.repeat(64) }));
    expect(await count(caller)).toBe(1);
  });

  it('reveals the result of a commit whose answer was lost', async () => {
    const { caller, projectId } = suite.buildProject();
    await suite.database.query(`
      CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(77); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER dawdle AFTER INSERT ON campaigns DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION dawdle()`);
    const committing = () =>
      suite.database.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query = 'COMMIT'`,
      );
    const { lost } = await suite.database.transaction(async () => {
      await suite.database.query(`SELECT pg_advisory_xact_lock(77)`);
      return suite.database.apart(async () => {
        const call = create(caller, claim()).catch((error: unknown) => error);
        const waiting = () => lockWaiters(suite.database, { locktype: 'advisory', statement: 'COMMIT' });
        await eventually(async () => (await waiting()).length > 0, 'the commit runs');
        suite.line.cut();
        return { lost: call };
      });
    });
    await eventually(async () => (await committing()).length === 0, 'the commit ends');
    suite.line.fix();
    expect(await lost).toMatchObject({
      kind: 'internal',
      message: 'The outcome is unknown; repeat the request with the same Idempotency-Key',
    });
    await suite.database.query(`DROP TRIGGER dawdle ON campaigns`);
    const again = await eventually(
      () => create(caller, claim()).catch(() => null),
      'the service has a database again',
    );
    const events = await suite.eventsOf(projectId, campaignEvents.changed);
    expect(events.map(({ campaignId }) => campaignId)).toEqual([again.id]);
    expect(await count(caller)).toBe(1);
  });

  it('is valid for a day and can then be used again; older keys are deleted', async () => {
    const { caller, projectId } = suite.buildProject();
    const first = await create(caller, claim());
    await create(caller, claim({ key: 'other' }));
    await age(projectId, 23.9);
    expect(await create(caller, claim())).toEqual(first);
    await age(projectId, 24.1);
    expect((await create(caller, claim({ bodyHash: 'b'.repeat(64) }))).id).not.toBe(first.id);
    await age(projectId, 25.1);
    await create(caller, claim({ key: 'third' }));
    const stored = await suite.database.query(`SELECT key FROM idempotency_keys WHERE project_id = $1`, [
      projectId,
    ]);
    expect(stored).toEqual([{ key: 'third' }]);
  });
});
