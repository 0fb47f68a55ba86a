import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { noProject, emails, engagement, mailSummaries, serviceCaller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite();
});
afterAll(() => suite.stop());

const browser =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

it('mail is summed by address and kind, without machines, with events that are being published', async () => {
  const { caller, domain, projectId } = await suite.buildProject();
  const [to, bounced, outsider] = [
    `ok-${newId()}@sink.test`,
    `rcpt-550-5.1.1+${newId()}@sink.test`,
    `ok-${newId()}@sink.test`,
  ];
  const ids: string[] = [];
  for (const each of [to, to, bounced, outsider]) {
    const { emails: accepted } = await suite.bus.call(emails.accept, caller, buildSend(domain, { to: each }));
    const { id } = accepted[0]!;
    ids.push(id);
    await eventually(
      async () =>
        ['DELIVERED', 'BOUNCED'].includes((await suite.bus.call(emails.get, caller, { id })).status),
      'it is settled',
    );
  }
  await suite.database.query(`UPDATE emails SET sent_at = sent_at - interval '1 hour' WHERE id = $1`, [
    ids[0],
  ]);
  const seen = { projectId, emailId: ids[0]!, position: 0, agoMs: 0, userAgent: browser };
  await suite.bus.call(engagement.record, serviceCaller('gateway', noProject), {
    items: [
      { ...seen, kind: 'OPEN', id: newId() },
      { ...seen, kind: 'OPEN', id: newId(), userAgent: 'curl/8.5.0' },
    ],
  });
  const { items, underWay } = await suite.bus.call(mailSummaries.of, caller, { emails: [to, bounced] });
  const counts = items.map(({ email, kind, count }) => `${email} ${kind} ${count}`).sort();
  expect(counts).toEqual(
    [`${to} delivered 2`, `${to} opened 1`, `${to} sent 2`, `${bounced} bounced 1`].sort(),
  );
  expect(underWay.map(({ email, kind }) => `${email} ${kind}`).sort()).toEqual(
    [
      `${to} delivered`,
      `${to} delivered`,
      `${to} opened`,
      `${to} sent`,
      `${to} sent`,
      `${bounced} bounced`,
    ].sort(),
  );
  const sent = items.find(({ kind }) => kind === 'sent')!;
  expect(sent.lastAt.getTime() - sent.firstAt.getTime()).toBeGreaterThan(3_000_000);
  expect(
    (await suite.bus.call(mailSummaries.of, (await suite.buildProject()).caller, { emails: [to] })).items,
  ).toEqual([]);
});
