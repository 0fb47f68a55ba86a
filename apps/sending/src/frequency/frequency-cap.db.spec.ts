import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectEvents, type FrequencyCap } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually, EventPublisher } from '@posthorn/testing';
import { Pace } from '../pacing/pace.js';
import { HandOffMarks } from '../delivery/hand-off/hand-off-marks.repository.js';
import { claimedMessages, markedBy, type HeldMessage } from '../testing/claimed-messages.js';
import { marksAtOnce } from '../testing/marks-at-once.js';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';
import { MarketingHandOffs } from './marketing-hand-offs.repository.js';

let suite: SendingSuite;
let gateway: EventPublisher;
beforeAll(async () => {
  suite = await startSendingSuite({ DELIVERY_PAUSED: 'true' });
  gateway = await EventPublisher.start(suite.connection, 'gateway');
});
afterAll(async () => {
  await gateway.stop();
  await suite.stop();
});

const marks = () =>
  new HandOffMarks(suite.database, new Pace({ providerKind: 'capped', perSecond: 0 }), suite.hasher);

async function cappedProject(cap: FrequencyCap | null): Promise<string> {
  const { projectId } = await suite.buildProject();
  await suite.database.query(
    `UPDATE project_states SET cap_messages = $2, cap_days = $3 WHERE project_id = $1`,
    [projectId, cap?.messages ?? null, cap?.days ?? null],
  );
  return projectId;
}

/** Each for the same reader. */
async function messagesTo(
  projectId: string,
  count: number,
  category: 'MARKETING' | 'TRANSACTIONAL',
  campaign = true,
) {
  const held = await claimedMessages(suite.database, projectId, count);
  await suite.database.query(
    `UPDATE deliveries SET recipient = 'ada@example.org', campaign_id = $2 WHERE worker_id = $1`,
    [held.workerId, campaign ? newId() : null],
  );
  const messages = held.messages.map((message) => ({ ...message, recipient: 'ada@example.org', category }));
  return { workerId: held.workerId, messages };
}

const decided = async (workerId: string, messages: HeldMessage[]) =>
  (await markedBy(marks(), workerId, messages)).map(({ decision }) => decision);

describe('a limit of how often a recipient gets marketing mail', () => {
  it('lets the first messages through, whatever batch they are in, and does not count one twice', async () => {
    const projectId = await cappedProject({ messages: 2, days: 7 });
    const { workerId, messages } = await messagesTo(projectId, 4, 'MARKETING');
    expect(await decided(workerId, messages.slice(0, 1))).toEqual(['ok']);
    await suite.database.query(`UPDATE deliveries SET state = 'CLAIMED' WHERE email_id = $1`, [
      messages[0]!.emailId,
    ]);
    expect(await decided(workerId, messages)).toEqual(['ok', 'ok', 'frequency_cap', 'frequency_cap']);
  });

  it('holds for workers at the same time', async () => {
    const projectId = await cappedProject({ messages: 1, days: 1 });
    const batches = await Promise.all(Array.from({ length: 8 }, () => messagesTo(projectId, 1, 'MARKETING')));
    await suite.database.query(
      `INSERT INTO usage_counts (project_id, shard) SELECT $1, shard FROM generate_series(0, 15) AS shard`,
      [projectId],
    );
    const lock = `SELECT 1 FROM usage_counts WHERE project_id = $1 FOR UPDATE`;
    const decisions = (await marksAtOnce(suite.database, marks(), batches, lock)).flat();
    expect(decisions.filter(({ decision }) => decision === 'ok')).toHaveLength(1);
  });

  it('counts the days back from the hand-off, and is not for transactional mail or other projects', async () => {
    const projectId = await cappedProject({ messages: 1, days: 3 });
    const first = await messagesTo(projectId, 3, 'MARKETING');
    expect(await decided(first.workerId, first.messages.slice(0, 1))).toEqual(['ok']);
    const transactional = await messagesTo(projectId, 2, 'TRANSACTIONAL');
    expect(await decided(transactional.workerId, transactional.messages)).toEqual(['ok', 'ok']);
    expect(await decided(first.workerId, first.messages.slice(1, 2))).toEqual(['frequency_cap']);
    await suite.database.query(
      `UPDATE marketing_hand_offs SET at = at - interval '73 hours' WHERE project_id = $1`,
      [projectId],
    );
    expect(await decided(first.workerId, first.messages.slice(2))).toEqual(['ok']);
    const ofApi = await messagesTo(projectId, 2, 'MARKETING', false);
    expect(await decided(ofApi.workerId, ofApi.messages)).toEqual(['ok', 'ok']);
    const other = await messagesTo(await cappedProject(null), 2, 'MARKETING');
    expect(await decided(other.workerId, other.messages)).toEqual(['ok', 'ok']);
  });

  it('does not count what failed for good', async () => {
    const projectId = await cappedProject({ messages: 1, days: 7 });
    const { workerId, messages } = await messagesTo(projectId, 3, 'MARKETING');
    expect(await decided(workerId, messages.slice(0, 1))).toEqual(['ok']);
    const failed = (kind: string) =>
      suite.database.query(
        `INSERT INTO emails (project_id, id, content_id, from_email, to_email, subject, status, failure_kind)
         VALUES ($1, $2, $2, 'news@example.test', 'ada@example.org', 'News', 'FAILED', $3)
         ON CONFLICT (project_id, id) DO UPDATE SET failure_kind = excluded.failure_kind`,
        [projectId, messages[0]!.emailId, kind],
      );
    await failed('delivery_unconfirmed');
    expect(await decided(workerId, messages.slice(1, 2))).toEqual(['frequency_cap']);
    await failed('provider_rejected');
    expect(await decided(workerId, messages.slice(2))).toEqual(['ok']);
  });

  it('is known from the events of the project, and forgets what is older than a month', async () => {
    const { projectId } = await suite.buildProject();
    const [known] = await suite.database.query<{ seq: number }>(
      `SELECT seq::int FROM project_states WHERE project_id = $1`,
      [projectId],
    );
    await gateway.publish(projectEvents.changed, projectId, [
      {
        id: projectId,
        disabled: false,
        disabledReason: null,
        seq: known!.seq + 1,
        at: new Date(),
        frequencyCap: { messages: 3, days: 30 },
      },
    ]);
    await eventually(
      async () =>
        (
          await suite.database.query(
            `SELECT 1 FROM project_states WHERE project_id = $1 AND cap_messages = 3 AND cap_days = 30`,
            [projectId],
          )
        ).length === 1,
      'the limit is known',
    );
    const { workerId, messages } = await messagesTo(projectId, 2, 'MARKETING');
    await decided(workerId, messages);
    await suite.database.query(
      `UPDATE marketing_hand_offs SET at = now() - interval '31 days' WHERE project_id = $1 AND email_id = $2`,
      [projectId, messages[0]!.emailId],
    );
    await new MarketingHandOffs(suite.database).deleteOld();
    const left = await suite.database.query<{ id: string }>(
      `SELECT email_id AS id FROM marketing_hand_offs WHERE project_id = $1`,
      [projectId],
    );
    expect(left.map(({ id }) => id)).toEqual([messages[1]!.emailId]);
  });
});
