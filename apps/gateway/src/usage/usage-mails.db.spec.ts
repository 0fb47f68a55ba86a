import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { usageEvents, type AcceptSend, type UsageWarned } from '@posthorn/contracts';
import { eventually, EventPublisher } from '@posthorn/testing';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';
import { takeMails } from '../testing/taken-mails.js';

let suite: GatewaySuite;
let sending: EventPublisher;
let stop: () => Promise<void>;
let taken: AcceptSend[];

beforeAll(async () => {
  suite = await startGatewaySuite();
  sending = await EventPublisher.start(suite.connection, 'sending');
  ({ taken, stop } = await takeMails(suite));
});
afterAll(async () => {
  await stop();
  await sending.stop();
  await suite.stop();
});

const warning: UsageWarned = {
  limit: 'CAMPAIGN',
  percent: 80,
  messages: 1_000,
  emailsSent: 812,
  whenExhausted: 'FAIL',
  resetsAt: new Date('2026-12-01T00:00:00Z'),
  at: new Date('2026-11-20T10:00:00Z'),
};

describe('a warning about a limit', () => {
  it.each<[Partial<UsageWarned>, RegExp, RegExp]>([
    [
      {},
      /has used 80 % of a sending limit$/,
      /fail with the reason quota_exhausted until 2026-12-01 00:00 UTC/,
    ],
    [
      { percent: 100, emailsSent: 1_000, whenExhausted: 'HOLD' },
      /has reached a sending limit$/,
      /Further messages wait until 2026-12-01 00:00 UTC and are sent then/,
    ],
  ])('with %j is mailed to the owners', async (changes, subject, text) => {
    const { projectId } = await suite.buildProject();
    const owner = `owner-${projectId}@example.com`;
    await suite.buildUser({ email: owner, projectId, role: 'OWNER' });
    await suite.buildUser({ email: `member-${projectId}@example.com`, projectId, role: 'MEMBER' });
    await sending.publish(usageEvents.warned, projectId, [{ ...warning, ...changes }]);
    const mail = await eventually(
      async () => taken.find(({ recipients }) => recipients[0]!.to.email === owner),
      'the owner is mailed',
    );
    expect(mail.subject).toMatch(subject);
    expect(mail.text).toMatch(/of the 1000 messages that are allowed for campaigns this month/);
    expect(mail.text).toMatch(text);
    expect(taken.some(({ recipients }) => recipients[0]!.to.email.startsWith(`member-${projectId}`))).toBe(
      false,
    );
  });
});
