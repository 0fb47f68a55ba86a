import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  contactEvents,
  emails,
  optOuts,
  recipients,
  secrets,
  suppressionEvents,
  suppressionImports,
  suppressions,
  serviceCaller,
  noProject,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually, EventPublisher, testSecret } from '@posthorn/testing';
import { HandOffMarks } from '../delivery/hand-off/hand-off-marks.repository.js';
import { Pace } from '../pacing/pace.js';
import { suppressionImportWork } from '../suppressions/suppression-imports.repository.js';
import { SuppressionsRepository } from '../suppressions/suppressions.repository.js';
import { claimedMessages, markedBy } from '../testing/claimed-messages.js';
import { erase, tablesNaming } from '../testing/erasing.js';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
let contacts: EventPublisher;
beforeAll(async () => {
  suite = await startSendingSuite({ DELIVERY_PAUSED: 'true' });
  contacts = await EventPublisher.start(suite.connection, 'contacts');
});
afterAll(async () => {
  await contacts.stop();
  await suite.stop();
});

const decisionsOf = async (projectId: string, count: number) => {
  const { workerId, messages } = await claimedMessages(suite.database, projectId, count);
  const marks = new HandOffMarks(
    suite.database,
    new Pace({ providerKind: 'erased', perSecond: 0 }),
    suite.hasher,
  );
  return {
    messages,
    marks,
    mark: async () => (await markedBy(marks, workerId, messages)).map(({ decision }) => decision),
  };
};
const addressesIn = (table: string, projectId: string) =>
  suite.database.query<{ email: string }>(`SELECT email FROM ${table} WHERE project_id = $1 ORDER BY email`, [
    projectId,
  ]);

describe('a suppression or opt-out of an erased address', () => {
  it('still blocks it in the hand-off mark and in the check of a send', async () => {
    const { caller, projectId } = await suite.buildProject();
    const [a, b, c] = ['reader-0@example.org', 'reader-1@example.org', 'reader-2@example.org'];
    await suite.bus.call(suppressions.put, caller, { email: a, reason: 'COMPLAINT' });
    await suite.bus.call(optOuts.put, caller, { optOuts: [{ email: b }] });
    for (const email of [a, b, c]) await erase(suite, caller, email);
    expect(await tablesNaming(suite.database, 'reader-')).toEqual([]);
    const { mark } = await decisionsOf(projectId, 4);
    expect(await mark()).toEqual(['suppressed', 'unsubscribed', 'ok', 'ok']);
    expect(await suite.bus.call(recipients.suppressed, caller, { emails: [a, b, c] })).toEqual({
      emails: [a],
    });
  });

  it('blocks the copies of mail to it', async () => {
    const { caller, projectId, domain } = await suite.buildProject();
    const [main, copy] = [`main-${newId()}@example.org`, `copy-${newId()}@example.org`];
    await suite.bus.call(suppressions.put, caller, { email: main });
    await erase(suite, caller, main);
    const id = newId();
    await suite.bus.call(emails.accept, caller, {
      from: { email: `hello@${domain}` },
      subject: 'S',
      body: 'B',
      cc: [{ email: copy }],
      recipients: [{ id, to: { email: main } }],
    });
    const workerId = newId();
    await suite.database.query(
      `INSERT INTO workers (id, expires_at) VALUES ($1, now() + interval '1 hour')`,
      [workerId],
    );
    await suite.database.query(
      `UPDATE deliveries SET state = 'CLAIMED', worker_id = $1, lease_token = 1 WHERE email_id = $2`,
      [workerId, id],
    );
    const marks = new HandOffMarks(
      suite.database,
      new Pace({ providerKind: 'erased', perSecond: 0 }),
      suite.hasher,
    );
    const message = {
      projectId,
      emailId: id,
      position: 1,
      leaseToken: 1,
      recipient: copy,
      sourceType: 'TRANSACTIONAL' as const,
      trace: null,
      to: { email: main },
    };
    expect(await markedBy(marks, workerId, [message])).toMatchObject([{ decision: 'suppressed' }]);
  });

  it('is found and removed by its address, is not duplicated, and is only counted in lists', async () => {
    const { caller, projectId } = await suite.buildProject();
    const [email, other] = [`ada-${newId()}@example.org`, `bob-${newId()}@example.org`];
    const first = await suite.bus.call(suppressions.put, caller, { email, reason: 'HARD_BOUNCE' });
    await suite.bus.call(suppressions.put, caller, { email: other });
    await erase(suite, caller, email);
    const hash = suite.hasher.hash(projectId, email);
    expect(await suite.bus.call(suppressions.get, caller, { email })).toEqual(first);
    expect(await suite.bus.call(suppressions.put, caller, { email, reason: 'MANUAL' })).toEqual(first);
    const { id } = await suite.bus.call(suppressionImports.start, caller, { csv: `email\n${email}\n` });
    const ended = await eventually(async () => {
      const now = await suite.bus.call(suppressionImports.get, caller, { id });
      return now.finishedAt ? now : null;
    }, 'the import ends');
    expect(ended).toMatchObject({ created: 0, skipped: 1 });
    expect(await addressesIn('suppressions', projectId)).toEqual(
      [{ email: hash }, { email: other }].sort((x, y) => (x.email < y.email ? -1 : 1)),
    );
    const page = await suite.bus.call(suppressions.list, caller, { withTotal: true });
    expect([page.items.map((row) => row.email), page.total, page.erased]).toEqual([[other], 1, 1]);
    expect(await suite.bus.call(suppressions.remove, caller, { email })).toEqual({ email, deleted: true });
    expect(await suite.bus.call(suppressions.remove, caller, { email })).toEqual({ email, deleted: false });
    const published = await suite.database.query<{ items: { email: string }[] }>(
      `SELECT items FROM outbox WHERE project_id = $1 AND event_name = $2`,
      [projectId, suppressionEvents.removed.name],
    );
    expect(published.flatMap(({ items }) => items.map((item) => item.email))).toEqual([hash]);
  });

  it('is stored under the hash where an unfinished import contains the address', async () => {
    const { caller, projectId } = await suite.buildProject();
    const email = `ada-${newId()}@example.org`;
    // Its turn comes after the erasure.
    const id = newId();
    await suite.database.query(
      `INSERT INTO suppression_imports (project_id, id, status, csv, source, total) VALUES ($1, $2, 'RUNNING', $3, 'API', 1)`,
      [projectId, id, `email\n${email.toUpperCase()}\n`],
    );
    await erase(suite, caller, email);
    expect(await tablesNaming(suite.database, email)).toEqual([]);
    await suite.queue.enqueue(suppressionImportWork, [{ projectId, key: id }]);
    await eventually(
      async () => (await suite.bus.call(suppressionImports.get, caller, { id })).finishedAt !== null,
      'the import ends',
    );
    expect(await addressesIn('suppressions', projectId)).toEqual([
      { email: suite.hasher.hash(projectId, email) },
    ]);
  });

  it('is stored under the hash where a worker had read the import before, and under the address where it is added later', async () => {
    const { caller, projectId } = await suite.buildProject();
    const email = `ada-${newId()}@example.org`;
    await erase(suite, caller, email);
    const rows = new SuppressionsRepository(suite.database, suite.hasher);
    const takeIn = (createdAt: Date) =>
      rows.putAll(projectId, [{ email, reason: 'MANUAL' }], { source: 'API', createdAt });
    const [ago, ahead] = [-60_000, 60_000].map((ms) => new Date(Date.now() + ms));
    expect(await takeIn(ago!)).toMatchObject([{ email: suite.hasher.hash(projectId, email) }]);
    expect(await takeIn(ahead!)).toEqual([]);
    await suite.bus.call(suppressions.remove, caller, { email });
    expect(await takeIn(ahead!)).toMatchObject([{ email }]);
  });

  it('is updated by later consents, also late ones, and never under the address', async () => {
    const { caller, projectId } = await suite.buildProject();
    const email = 'reader-0@example.org';
    const [before, after] = [newId(), newId()];
    await erase(suite, caller, email);
    const publish = async (contactId: string, seq: number, subscribed: boolean) => {
      const event = subscribed ? contactEvents.subscribed : contactEvents.unsubscribed;
      await contacts.publish(event, projectId, [{ email, contactId, seq, subscribed, at: new Date() }]);
      await contacts.taken(`sending-opt-outs-contacts-contact-${subscribed ? 'subscribed' : 'unsubscribed'}`);
    };
    // Of the contact that was erased, told late.
    await publish(before, 3, false);
    expect(await addressesIn('opt_outs', projectId)).toEqual([
      { email: suite.hasher.hash(projectId, email) },
    ]);
    expect(await (await decisionsOf(projectId, 1)).mark()).toEqual(['unsubscribed']);
    await suite.database.query(`DELETE FROM deliveries WHERE project_id = $1`, [projectId]);
    await publish(after, 1, true);
    expect(await (await decisionsOf(projectId, 1)).mark()).toEqual(['ok']);
    await suite.database.query(`DELETE FROM deliveries WHERE project_id = $1`, [projectId]);
    await suite.bus.call(optOuts.put, caller, { optOuts: [{ email, contactId: after, seq: 2 }] });
    expect(await (await decisionsOf(projectId, 1)).mark()).toEqual(['unsubscribed']);
    expect(await addressesIn('opt_outs', projectId)).toEqual([
      { email: suite.hasher.hash(projectId, email) },
    ]);
  });

  it('survives a change of the installation’s key', async () => {
    const { caller, projectId } = await suite.buildProject();
    const email = `ada-${newId()}@example.org`;
    await suite.bus.call(suppressions.put, caller, { email });
    await erase(suite, caller, email);
    const hash = suite.hasher.hash(projectId, email);
    const newKey = 'another-secret-that-only-this-spec-knows-0123456789';
    await suite.restart({ POSTHORN_SECRET_KEY: `${newKey}, ${testSecret}` });
    const rotated = await suite.bus.call(secrets.rotateSending, serviceCaller('suite', noProject), {});
    expect(rotated).toMatchObject({ rotated: 1, unreadable: 0, left: 0 });
    await suite.restart({ POSTHORN_SECRET_KEY: newKey });
    expect(await suite.bus.call(suppressions.get, caller, { email })).toMatchObject({ email });
    await erase(suite, caller, email);
    expect(await addressesIn('suppressions', projectId)).toEqual([{ email: hash }]);
  });
});
