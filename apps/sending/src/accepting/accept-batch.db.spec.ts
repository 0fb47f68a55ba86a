import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emails, type AcceptBatch } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite();
});
afterAll(() => suite.stop());

function buildBatch(domain: string, count: number, more: Partial<AcceptBatch> = {}): AcceptBatch {
  const messages = Array.from({ length: count }, (_, index) => ({
    ...buildSend(domain, { subject: `number ${index}` }),
    index,
  }));
  return { messages, refused: [], ...more };
}

const claim = (key: string, bodyHash = 'a'.repeat(64)) => ({
  key,
  operation: 'POST /api/v1/emails/batch',
  bodyHash,
});

async function countOf(projectId: string): Promise<number> {
  const [row] = await suite.database.query<{ count: number }>(
    `SELECT count(*) FROM emails WHERE project_id = $1 AND status <> 'VOIDED'`,
    [projectId],
  );
  return row!.count;
}

describe('a batch', () => {
  it('accepts the valid messages, and answers for each other one why it was refused', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const batch = buildBatch(domain, 3, {
      refused: [{ index: 7, code: 'validation_error', message: 'to is required' }],
    });
    batch.messages[1] = { ...batch.messages[1]!, from: { email: 'me@elsewhere.example' } };
    const { accepted, refused } = await suite.bus.call(emails.acceptBatch, caller, batch);
    expect(accepted.map(({ index, email }) => [index, email.id])).toEqual(
      [0, 2].map((index) => [index, batch.messages[index]!.recipients[0]!.id]),
    );
    expect(refused).toEqual([
      { index: 1, code: 'validation_error', message: expect.stringContaining('from: ') },
      { index: 7, code: 'validation_error', message: 'to is required' },
    ]);
    expect(await countOf(projectId)).toBe(2);
  });

  it('is answered identically when it is repeated with its key, although the answer would differ by now', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const batch = buildBatch(domain, 2, { idempotency: claim('again') });
    batch.messages[1] = { ...batch.messages[1]!, from: { email: 'me@later.example' } };
    const first = await suite.bus.call(emails.acceptBatch, caller, batch);
    const repeat = await suite.bus.call(
      emails.acceptBatch,
      caller,
      buildBatch(domain, 2, { idempotency: claim('again') }),
    );
    expect(repeat).toEqual(first);
    expect(await countOf(projectId)).toBe(1);
    const other = buildBatch(domain, 1, { idempotency: claim('again', 'b'.repeat(64)) });
    await expect(suite.bus.call(emails.acceptBatch, caller, other)).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
  });

  it('is stored once for twenty callers with one key', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () =>
        suite.bus.call(emails.acceptBatch, caller, buildBatch(domain, 5, { idempotency: claim('once') })),
      ),
    );
    const answers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await countOf(projectId)).toBe(5);
  });

  it('stores nothing where one of its messages was voided before', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    const batch = buildBatch(domain, 3, { idempotency: claim(newId()) });
    await suite.bus.call(emails.settle, caller, {
      recipients: batch.messages.flatMap(({ recipients }) => recipients),
    });
    await expect(suite.bus.call(emails.acceptBatch, caller, batch)).rejects.toMatchObject({
      kind: 'unavailable',
    });
    expect(await countOf(projectId)).toBe(0);
  });
});
