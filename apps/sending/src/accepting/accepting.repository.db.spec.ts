import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '@posthorn/database';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';
import type { AcceptRow } from './accept-row.js';
import { AcceptingRepository } from './accepting.repository.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite();
});
afterAll(() => suite.stop());

it('a request that is too late and its repetition in one commit publish one event', async () => {
  const { domain, projectId } = await suite.buildProject();
  const id = newId();
  const row: AcceptRow = {
    projectId,
    actor: 'API_KEY k',
    contentId: id,
    from: { email: `hello@${domain}`, name: null },
    subject: 'Hello',
    html: '<p>Hi</p>',
    text: null,
    replyTo: null,
    headers: null,
    tags: [],
    metadata: {},
    deadline: null,
    emails: [{ id, contactId: null, email: 'ada@sink.test', name: null }],
    idempotency: null,
    trace: null,
    options: { trackOpens: false, trackClicks: false },
    files: [],
  };
  const late = { ...row, deadline: new Date(Date.now() - 60_000) };
  const accepted = await new AcceptingRepository(suite.database).insert([late, row]);
  expect([...accepted.keys()]).toEqual([id]);
  const events = await suite.database.query(
    `SELECT item FROM outbox, jsonb_array_elements(items) AS item
     WHERE project_id = $1 AND event_name = 'sending.email.accepted' AND item ->> 'emailId' = $2`,
    [projectId, id],
  );
  expect(events).toHaveLength(1);
});
