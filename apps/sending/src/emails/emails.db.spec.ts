import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emails, type EmailStatus } from '@posthorn/contracts';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite({ DELIVERY_PAUSED: 'true' });
});
afterAll(() => suite.stop());

describe('the list of e-mails', () => {
  it('is filtered by common and rare statuses, and never contains a tombstone', async () => {
    const { caller, projectId, domain } = await suite.buildProject();
    const states = [
      'PENDING',
      'SENT',
      'DELIVERED',
      'FAILED',
      'BOUNCED',
      'BOUNCED',
      'REJECTED',
      'VOIDED',
    ] as const;
    const accepted = await Promise.all(
      states.map(() => suite.bus.call(emails.accept, caller, buildSend(domain))),
    );
    await suite.database.query(
      `UPDATE emails e SET status = s.status FROM unnest($2::uuid[], $3::text[]) AS s (id, status) WHERE e.project_id = $1 AND e.id = s.id`,
      [projectId, accepted.map(({ emails: [email] }) => email!.id), states],
    );
    const found = async (status?: EmailStatus) => {
      const { items } = await suite.bus.call(emails.list, caller, { ...(status && { status }) });
      return items.map((email) => email.status);
    };
    for (const status of new Set(states.filter((each) => each !== 'VOIDED')))
      expect(await found(status)).toEqual(states.filter((each) => each === status));
    expect(await found('CANCELLED')).toEqual([]);
    expect((await found()).sort()).toEqual(states.filter((each) => each !== 'VOIDED').sort());
  });
});
