import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emails, type Caller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { buildSend, startSendingSuite, type SendingSuite } from '../../testing/sending-suite.js';
import { ProjectStates } from '../../projects/project-states.read-model.js';
import { ClaimsRepository, beforeAllProjects } from './claims.repository.js';
import { lanes } from '../delivery-states.js';
import type { FreeBytes } from './bytes-in-memory.js';

let suite: SendingSuite;
/** It lives, so that the sweeper of the suite returns nothing that it has claimed. */
const workerId = newId();
beforeAll(async () => {
  suite = await startSendingSuite({ DELIVERY_PAUSED: 'true' });
  await suite.database.query(`INSERT INTO workers (id, expires_at) VALUES ($1, now() + interval '1 hour')`, [
    workerId,
  ]);
});
afterAll(() => suite.stop());

const claim = (
  limit: number,
  more: { excludedProjects?: string[]; afterProject?: string; freeBytes?: FreeBytes } = {},
) =>
  new ClaimsRepository(suite.database).claim({
    workerId,
    lane: lanes.transactional,
    limit,
    afterProject: beforeAllProjects,
    freeBytes: { small: 1_000_000, large: 0, anySizeFits: false },
    ...more,
  });
const accept = (caller: Caller, domain: string, count = 1) =>
  Promise.all(Array.from({ length: count }, () => suite.bus.call(emails.accept, caller, buildSend(domain))));
const emptied = () => suite.database.query(`DELETE FROM deliveries`);
const projectsOf = (claimed: { projectId: string }[]) => [
  ...new Set(claimed.map(({ projectId }) => projectId)),
];

describe('a claim', () => {
  it('gives every project an even share, and continues after the last one', async () => {
    await emptied();
    const [one, two] = [await suite.buildProject(), await suite.buildProject()];
    await accept(one.caller, one.domain, 60);
    await accept(two.caller, two.domain, 60);
    const claimed = await claim(60);
    expect(
      [one, two].map(({ projectId }) => claimed.filter((each) => each.projectId === projectId).length),
    ).toEqual([30, 30]);
    expect(projectsOf(await claim(20, { afterProject: one.projectId }))).toEqual([two.projectId]);
  });

  it('skips the given projects, even where all of the backlog is theirs', async () => {
    await emptied();
    const [many, one] = [await suite.buildProject(), await suite.buildProject()];
    await accept(many.caller, many.domain, 40);
    await accept(one.caller, one.domain);
    expect(projectsOf(await claim(16, { excludedProjects: [many.projectId] }))).toEqual([one.projectId]);
    expect(await claim(16, { excludedProjects: [many.projectId] })).toEqual([]);
    expect(projectsOf(await claim(16))).toEqual([many.projectId]);
  });

  it('passes disabled projects over, so that their backlog takes no slot from others', async () => {
    await emptied();
    const [disabled, other] = [await suite.buildProject(), await suite.buildProject()];
    await accept(disabled.caller, disabled.domain, 30);
    await accept(other.caller, other.domain, 2);
    await new ProjectStates(suite.database).put([
      { id: disabled.projectId, name: 'D', disabled: true, seq: 2 },
    ]);
    expect(projectsOf(await claim(60))).toEqual([other.projectId]);
    const claims = new ClaimsRepository(suite.database);
    expect(await claims.disabledPastWindow(100)).toEqual([]);
    await suite.database.transaction(async () => {
      await suite.database.query(
        `UPDATE deliveries SET due_at = now() - interval '25 hours', expires_at = now() - interval '1 hour' WHERE project_id = $1`,
        [disabled.projectId],
      );
      expect(await claims.disabledPastWindow(100)).toHaveLength(30);
      await new ProjectStates(suite.database).put([
        { id: disabled.projectId, name: 'D', disabled: false, seq: 3 },
      ]);
    });
    expect(await claim(60)).toHaveLength(30);
    expect(await claims.disabledPastWindow(100)).toEqual([]);
  });

  it('takes large messages as far as memory allows, and small ones in any case', async () => {
    await emptied();
    const { caller, domain } = await suite.buildProject();
    await accept(caller, domain, 24);
    const large = 10_000_000;
    await suite.database.query(`UPDATE deliveries SET bytes = $1`, [large]);
    await accept(caller, domain, 2);
    const sizes = async (free: number, alone: boolean) => {
      const claimed = await claim(20, {
        freeBytes: { small: 1_000_000, large: free, anySizeFits: alone },
      });
      return [
        claimed.filter(({ bytes }) => bytes === large).length,
        claimed.filter(({ bytes }) => bytes < large).length,
      ];
    };
    expect(await sizes(2.5 * large, true)).toEqual([2, 0]);
    expect(await sizes(0.5 * large, false)).toEqual([0, 2]);
    expect(await sizes(0.5 * large, false)).toEqual([0, 0]);
    // One that is larger than all the room goes alone.
    expect(await sizes(0.5 * large, true)).toEqual([1, 0]);
  });

  it('skips projects with scheduled messages only, however many there are', async () => {
    await emptied();
    const { caller, projectId, domain } = await suite.buildProject();
    await accept(caller, domain);
    await suite.database.query(
      `INSERT INTO deliveries SELECT (jsonb_populate_record(d, jsonb_build_object(
         'project_id', '00000000-0000-4000-8000-' || lpad(n::text, 12, '0'), 'due_at', now() + interval '1 hour'))).*
       FROM deliveries d, generate_series(1, 300) AS n WHERE d.project_id = $1`,
      [projectId],
    );
    expect(projectsOf(await claim(16))).toEqual([projectId]);
  });
});

describe('a message whose last claim ended with its process', () => {
  const withClaims = async (given: readonly { claims: number; lane?: number; bytes?: number }[]) => {
    await emptied();
    const { caller, domain } = await suite.buildProject();
    await accept(caller, domain, given.length);
    const rows = await suite.database.query<{ email_id: string }>(
      `SELECT email_id FROM deliveries ORDER BY email_id`,
    );
    for (const [index, { claims, lane = 0, bytes = 1_000 }] of given.entries())
      await suite.database.query(
        `UPDATE deliveries SET claims = $2, lane = $3, bytes = $4 WHERE email_id = $1`,
        [rows[index]!.email_id, claims, lane, bytes],
      );
    return rows.map((row) => row.email_id);
  };
  const suspects = async (limit: number, alone: boolean) =>
    (
      await new ClaimsRepository(suite.database).claimSuspects({
        workerId,
        limit,
        alone,
        freeBytes: { small: 1, large: 0, anySizeFits: true },
      })
    )
      .map(({ emailId }) => emailId)
      .sort();

  it('is claimed with others of its kind after the first time, alone after the second, and not a fourth time', async () => {
    const [none, once, bulk, , other, twice, large] = await withClaims([
      { claims: 0 },
      { claims: 1 },
      { claims: 1, lane: 1 },
      { claims: 3 },
      { claims: 1 },
      { claims: 2 },
      { claims: 1, bytes: 10_000_000 },
    ]);
    expect((await claim(10)).map(({ emailId }) => emailId)).toEqual([none]);
    expect(await suspects(16, true)).toEqual([once, other].sort());
    expect(await suspects(16, false)).toEqual([bulk]);
    expect(await suspects(16, false)).toEqual([]);
    const alone = [await suspects(16, true), await suspects(16, true)];
    expect(alone.map(({ length }) => length)).toEqual([1, 1]);
    expect(alone.flat().sort()).toEqual([twice, large].sort());
    expect(await suspects(16, true)).toEqual([]);
    const counts = await suite.database.query<{ claims: number }>(
      `SELECT claims FROM deliveries ORDER BY email_id`,
    );
    expect(counts.map((row) => row.claims)).toEqual([1, 2, 2, 3, 2, 3, 2]);
  });

  it('takes no more of them at once than the limit', async () => {
    await withClaims(Array.from({ length: 5 }, () => ({ claims: 1 })));
    expect(await suspects(3, true)).toHaveLength(3);
    expect(await suspects(3, false)).toHaveLength(2);
  });

  it('starts again at zero claims where its worker returns it', async () => {
    await emptied();
    const { caller, domain } = await suite.buildProject();
    await accept(caller, domain);
    const freeBytes = { small: 1_000_000, large: 0, anySizeFits: false };
    const claims = new ClaimsRepository(suite.database);
    const claimed = await claims.claim({
      workerId,
      lane: lanes.transactional,
      limit: 1,
      afterProject: beforeAllProjects,
      freeBytes,
    });
    await claims.unclaim(workerId, 0, claimed);
    expect((await claim(1)).map(({ emailId, claims: count }) => [emailId, count])).toEqual([
      [claimed[0]!.emailId, 1],
    ]);
  });

  it('does not count for a process that lives: its lease ended in an outage, and the message was taken back', async () => {
    await emptied();
    const { caller, domain } = await suite.buildProject();
    await accept(caller, domain, 2);
    const claimed = await claim(2);
    await suite.database.query(`UPDATE deliveries SET state = 'QUEUED', worker_id = NULL`);
    // Another worker has claimed this one since, and has died.
    await suite.database.query(
      `UPDATE deliveries SET lease_token = lease_token + 1, claims = 2 WHERE email_id = $1`,
      [claimed[1]!.emailId],
    );
    await new ClaimsRepository(suite.database).unclaim(workerId, 0, claimed);
    const rows = await suite.database.query<{ id: string; claims: number }>(
      `SELECT email_id AS id, claims FROM deliveries`,
    );
    expect(new Map(rows.map(({ id, claims }) => [id, claims]))).toEqual(
      new Map([
        [claimed[0]!.emailId, 0],
        [claimed[1]!.emailId, 2],
      ]),
    );
  });
});
