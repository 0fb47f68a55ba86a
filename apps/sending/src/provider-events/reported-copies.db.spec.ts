import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { buildEvent, buildReportedMails, publishedAbout, reportAll } from '../testing/reported-mail.js';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite({ DELIVERY_PAUSED: 'true' });
});
afterAll(() => suite.stop());

it('what is reported about a copy is published about its recipient, once', async () => {
  const [mail] = await buildReportedMails(suite.database, 1, { copies: ['bob@example.org'] });
  const report = (...kinds: ('BOUNCED' | 'DELIVERED' | 'SOFT_BOUNCED' | 'COMPLAINED')[]) =>
    reportAll(
      suite,
      kinds.map((kind) => buildEvent(mail!, { kind, position: 1, detail: '550 5.1.1 no such user' })),
    );
  await report('BOUNCED', 'DELIVERED');
  await report('BOUNCED', 'SOFT_BOUNCED', 'COMPLAINED', 'COMPLAINED');
  expect(await publishedAbout(suite.database, mail!)).toEqual([
    'copy bounced',
    'copy complained',
    'copy sent',
  ]);
  const [row] = await suite.database.query<{ items: object[] }>(
    `SELECT items FROM outbox WHERE project_id = $1 AND event_name = 'sending.copy.bounced'`,
    [mail!.projectId],
  );
  expect(row!.items).toEqual([
    {
      emailId: mail!.id,
      to: 'bob@example.org',
      from: 'hello@shop.example',
      sourceType: 'TRANSACTIONAL',
      at: expect.any(String),
    },
  ]);
});
