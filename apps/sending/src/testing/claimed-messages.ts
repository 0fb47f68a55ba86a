import type { SourceType } from '@posthorn/contracts';
import { newId, type Database } from '@posthorn/database';
import { lanes, type Lane } from '../delivery/delivery-states.js';
import type { HandOffMarks, Mark } from '../delivery/hand-off/hand-off-marks.repository.js';
import type { MessageToMark } from '../delivery/hand-off/mark-statement.js';

export interface HeldMessage {
  projectId: string;
  emailId: string;
  position: number;
  leaseToken: number;
  recipient: string;
  sourceType: SourceType;
  trace: null;
}

export async function claimedMessages(
  database: Database,
  projectId: string,
  count: number,
  lane: Lane = lanes.bulk,
): Promise<{ workerId: string; messages: HeldMessage[] }> {
  const workerId = newId();
  await database.query(`INSERT INTO workers (id, expires_at) VALUES ($1, now() + interval '1 hour')`, [
    workerId,
  ]);
  const messages = Array.from({ length: count }, (_, index) => ({
    projectId,
    emailId: newId(),
    position: 0,
    leaseToken: 1,
    sourceType: 'TRANSACTIONAL' as const,
    trace: null,
    recipient: `reader-${index}@example.org`,
  }));
  await database.query(
    `INSERT INTO deliveries (project_id, email_id, recipient, lane, state, expires_at, lease_token, worker_id, bytes)
     SELECT $1, email_id, recipient, $5, 'CLAIMED', now() + interval '1 hour', 1, $2, 1 FROM unnest($3::uuid[], $4::text[]) AS m (email_id, recipient)`,
    [
      projectId,
      workerId,
      messages.map(({ emailId }) => emailId),
      messages.map(({ recipient }) => recipient),
      lane,
    ],
  );
  return { workerId, messages };
}

/** As the dispatcher marks: with all checks only what the plain mark leaves. */
export async function markedBy(
  marks: HandOffMarks,
  workerId: string,
  messages: MessageToMark[],
): Promise<Mark[]> {
  const plain = await marks.markPlain(workerId, messages);
  const left = messages.filter((_, index) => !plain[index]);
  const checked = left.length > 0 ? await marks.mark(workerId, left) : [];
  return plain.map((mark) => mark ?? checked.shift()!);
}
