import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { optOuts, suppressions } from '@posthorn/contracts';
import { claimedMessages, markedBy, type HeldMessage } from '../../testing/claimed-messages.js';
import { startSendingSuite, type SendingSuite } from '../../testing/sending-suite.js';
import { HandOffMarks, type MarkDecision } from './hand-off-marks.repository.js';
import { Pace } from '../../pacing/pace.js';

// `POSTHORN_RACES=10000 POSTHORN_SEED=3 npm test -- --selectProjects db --testPathPatterns hand-off-races` runs longer, or otherwise.
const races = Number(process.env['POSTHORN_RACES'] ?? 2_000);
const inRound = 20;
const inMark = 5;
const seed = Number(process.env['POSTHORN_SEED'] ?? 8);

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite({ DELIVERY_PAUSED: 'true' });
});
afterAll(() => suite.stop());

/** The same numbers for the same seed (mulberry32). */
function randomOf(from: number): () => number {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Race {
  decision: MarkDecision;
  begunByAnswer: boolean;
}

/** Whether its hand-off has begun, as the database says: a clock here would tell when this process heard of it. */
async function hasBegun({ projectId, emailId }: HeldMessage): Promise<boolean> {
  const [row] = await suite.database.query<{ state: string }>(
    `SELECT state FROM deliveries WHERE project_id = $1 AND email_id = $2`,
    [projectId, emailId],
  );
  return row?.state === 'HANDOFF';
}

/** Hand-offs whose mark was committed after the word against them, by the server's own clock. */
async function committedTooLate(projectId: string): Promise<unknown[]> {
  return suite.database.query(
    `WITH words AS (
       SELECT email, xmin AS word FROM suppressions WHERE project_id = $1 UNION ALL SELECT email, xmin FROM opt_outs WHERE project_id = $1
     ) SELECT recipient FROM deliveries JOIN words ON email = recipient
     WHERE project_id = $1 AND state = 'HANDOFF' AND pg_xact_commit_timestamp(deliveries.xmin) > pg_xact_commit_timestamp(word)`,
    [projectId],
  );
}

describe('a hand-off and a suppression or opt-out at the same instant (G8)', () => {
  it(`begins before the acknowledgement or not at all: ${races} races`, async () => {
    const { caller, projectId } = await suite.buildProject();
    const random = randomOf(seed);
    const marks = new HandOffMarks(
      suite.database,
      new Pace({ providerKind: 'races', perSecond: 0 }),
      suite.hasher,
    );
    const { workerId, messages } = await claimedMessages(suite.database, projectId, races);
    const block = (email: string, byOptOut: boolean) =>
      byOptOut
        ? suite.bus.call(optOuts.put, caller, { optOuts: [{ email }] })
        : suite.bus.call(suppressions.put, caller, { email });
    const run: Race[] = [];
    // As long as the words take on this machine, so that marks come before, between and after them.
    let spreadMs = 24;
    for (let first = 0; first < races; first += inRound) {
      const round = messages.slice(first, first + inRound);
      const began = performance.now();
      const blocked = round.map(async (message, index) => {
        await delay(random() * 8);
        await block(message.recipient, index % 2 === 0);
        return hasBegun(message);
      });
      const marked = Array.from({ length: inRound / inMark }, async (_, part) => {
        await delay(random() * spreadMs);
        const messagesOfPart = round.slice(part * inMark, (part + 1) * inMark);
        // Half of them with all checks, as the mail of a project with limits.
        return part % 2 === 0
          ? markedBy(marks, workerId, messagesOfPart)
          : marks.mark(workerId, messagesOfPart);
      });
      const answers = await Promise.all(blocked);
      const wordsMs = performance.now() - began;
      const decided = (await Promise.all(marked)).flat();
      spreadMs = Math.min(300, Math.max(24, wordsMs));
      run.push(...decided.map(({ decision }, index) => ({ decision, begunByAnswer: answers[index]! })));
    }
    expect(run.filter(({ decision, begunByAnswer }) => decision === 'ok' && !begunByAnswer)).toEqual([]);
    expect(await committedTooLate(projectId)).toEqual([]);
    const tally = Object.groupBy(run, ({ decision }) => decision);
    // Both sides win some, or nothing was raced.
    for (const decision of ['ok', 'suppressed', 'unsubscribed'] as const)
      expect([decision, (tally[decision]?.length ?? 0) > races / 50]).toEqual([decision, true]);
    expect(run).toHaveLength(races);
  });
});
