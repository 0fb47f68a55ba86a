import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  contactImports,
  contacts,
  emailEvents,
  erasures,
  importPieceBytes,
  secrets,
  type Caller,
  type EmailAccepted,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { AddressHasher, Secrets } from '@posthorn/platform';
import { eventually, testSecret } from '@posthorn/testing';
import { startContactsSuite, type ContactsSuite } from '../testing/contacts-suite.js';
import { otherServices, startErasingServices, type ErasingServices } from '../testing/erasing-services.js';
import { importsFixture } from '../testing/imports-fixture.js';
import { rowsHolding } from '../testing/rows-holding.js';
import { Tombstones } from './tombstones.js';
import { TombstonesRepository } from './tombstones.repository.js';

let suite: ContactsSuite;
let services: ErasingServices;
beforeAll(async () => {
  suite = await startContactsSuite();
  services = await startErasingServices(suite);
});
afterAll(async () => {
  await services.stop(...otherServices);
  await suite.stop();
});

const accepted = (to: string, at: Date): EmailAccepted => ({
  emailId: newId(),
  to,
  from: 'hello@example.test',
  contactId: null,
  at,
  sourceType: 'TRANSACTIONAL',
});
const completed = (caller: Caller, id: string) =>
  eventually(
    async () => (await suite.bus.call(erasures.get, caller, { id })).completedAt,
    'the erasure is complete',
  );
const emailsOf = async (projectId: string) =>
  (
    await suite.database.query<{ email: string }>(
      `SELECT email FROM contacts WHERE project_id = $1 ORDER BY email`,
      [projectId],
    )
  ).map(({ email }) => email);
async function erase(caller: Caller, email: string): Promise<void> {
  const { id } = await suite.bus.call(contacts.create, caller, { email });
  await suite.bus.call(contacts.delete, caller, { id });
  await completed(caller, id);
}

it('events from before an erasure do not create the person again, however late they arrive; later ones create another contact', async () => {
  const { caller, projectId } = suite.buildProject();
  const before = new Date();
  await erase(caller, 'ann@example.org');
  const late = [
    accepted('ann@example.org', before),
    accepted('bob@example.org', before),
    accepted('erased@erased.invalid', new Date()),
  ];
  await suite.sending.publish(emailEvents.accepted, projectId, late);
  await suite.sending.taken('contacts-recipients');
  expect(await emailsOf(projectId)).toEqual(['bob@example.org']);
  await suite.sending.publish(emailEvents.accepted, projectId, [
    accepted('ann@example.org', new Date(Date.now() + 60_000)),
  ]);
  await suite.sending.taken('contacts-recipients');
  expect(await emailsOf(projectId)).toEqual(['ann@example.org', 'bob@example.org']);
  await suite.sending.publish(emailEvents.delivered, projectId, [
    accepted('ann@example.org', before),
    accepted('bob@example.org', before),
  ]);
  await suite.sending.taken('contacts-summaries-sending-email-delivered');
  const sums = await suite.database.query<{ email: string }>(
    `SELECT email FROM mail_summaries JOIN contacts ON contacts.project_id = mail_summaries.project_id AND id = contact_id WHERE contacts.project_id = $1`,
    [projectId],
  );
  expect(sums).toEqual([{ email: 'bob@example.org' }]);
  await suite.sending.repeatAll();
  await suite.sending.taken('contacts-recipients');
  expect((await emailsOf(projectId)).length).toBe(2);
});

it('a recipient who is erased while a send creates the contact does not stay', async () => {
  const { caller, projectId } = suite.buildProject();
  const email = 'ann@example.org';
  const requested = { recipients: [{ email, acceptedAt: new Date(Date.now() - 1_000) }] };
  let asked: Promise<unknown>;
  const takenBack = new Error('taken back');
  const holding = suite.database.transaction(async () => {
    // Not committed yet, so that the send waits between its two looks at who was erased.
    await suite.database.query(
      `INSERT INTO contacts (project_id, id, email, subscribed) VALUES ($1, uuidv7(), $2, true)`,
      [projectId, email],
    );
    asked = suite.bus.call(contacts.ensureRecipients, caller, requested).catch((error: unknown) => error);
    await eventually(async () => {
      const [row] = await suite.database.apart(() =>
        suite.database.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        ),
      );
      return row;
    }, 'the send waits for the row');
    await suite.database.apart(async () => {
      const hasher = await AddressHasher.open(suite.database, new Secrets([testSecret]));
      await new Tombstones(new TombstonesRepository(suite.database), hasher).set(projectId, [email]);
    });
    throw takenBack;
  });
  await expect(holding).rejects.toBe(takenBack);
  expect(await asked!).toEqual({ contacts: [] });
  expect(await emailsOf(projectId)).toEqual([]);
  expect(await suite.bus.call(contacts.ensureRecipients, caller, requested)).toEqual({ contacts: [] });
});

it('an import from before an erasure does not create the person again, and keeps the report open until it ends', async () => {
  const { caller, projectId } = suite.buildProject();
  const imports = importsFixture(suite);
  const { id } = await suite.bus.call(contacts.create, caller, { email: 'ann@example.org' });
  // The import waits for its second piece.
  const rows = `email,name\nann@example.org,Ann\nbob@example.org,Bob\n`.padEnd(importPieceBytes, '\n');
  const piece = (text: string) => Buffer.from(text).toString('base64');
  const job = await suite.bus.call(contactImports.start, caller, { bytes: piece(rows), last: false });
  await suite.bus.call(contacts.delete, caller, { id });
  await eventually(async () => {
    const [row] = await suite.database.query(
      `SELECT 1 FROM work_items WHERE kind = 'contacts.erasures' AND project_id = $1 AND state = 'WAITING'`,
      [projectId],
    );
    return row;
  }, 'it waits for the table');
  expect(await suite.bus.call(erasures.get, caller, { id })).toMatchObject({ completedAt: null });
  await suite.bus.call(contactImports.append, caller, {
    id: job.id,
    place: 1,
    bytes: piece('ANN@example.org,Ann\n'),
    last: true,
  });
  const done = await imports.ended(caller, job);
  expect(done).toMatchObject({ status: 'COMPLETED', created: 1 });
  const refused = { line: expect.any(Number), reason: 'is about a person who was erased since' };
  expect(await imports.errorsOf(caller, job)).toMatchObject([refused]);
  await completed(caller, id);
  expect(await imports.errorsOf(caller, job)).toEqual([refused]);
  expect(await emailsOf(projectId)).toEqual(['bob@example.org']);
  const holding = await rowsHolding(suite.database, 'Ann@example.org');
  for (const table of ['import_pieces', 'import_rejected_rows']) expect(holding).not.toContain(table);
  const again = await imports.ended(caller, await imports.upload(caller, 'email\nann@example.org\n'));
  expect(again).toMatchObject({ created: 1, failed: 0 });
});

it('the address of a pending erasure is sealed again after a change of the key', async () => {
  const { caller, projectId } = suite.buildProject();
  await services.stop('sending');
  const { id } = await suite.bus.call(contacts.create, caller, { email: 'dora@example.org' });
  await suite.bus.call(contacts.delete, caller, { id });
  const old = new Secrets(['an older secret of at least 32 characters']);
  const location = { table: 'erasures', projectId, id };
  const older = old.seal('dora@example.org', location);
  await suite.database.query(`UPDATE erasures SET sealed = $2 WHERE project_id = $1`, [projectId, older]);
  expect(await suite.bus.call(secrets.rotateContacts, caller, {})).toMatchObject({
    rotated: 0,
    unreadable: 1,
    left: 1,
  });
  await suite.database.query(`UPDATE erasures SET sealed = $2 WHERE project_id = $1`, [
    projectId,
    new Secrets([testSecret]).seal('dora@example.org', location),
  ]);
  expect(await suite.bus.call(secrets.rotateContacts, caller, {})).toMatchObject({ unreadable: 0, left: 0 });
  await services.start('sending');
  await completed(caller, id);
});
