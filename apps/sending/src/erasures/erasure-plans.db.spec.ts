import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId, type Database } from '@posthorn/database';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';
import { addressPattern } from './address-pattern.js';
import { ErasedAddressesRepository } from './erased-addresses.repository.js';
import { ErasedMailRepository } from './erased-mail.repository.js';
import { WaitingMailRepository } from './waiting-mail.repository.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite({ DELIVERY_PAUSED: 'true' });
});
afterAll(() => suite.stop());

const rows = 20_000;

/** Everything of a project that has been sent much, to a thousand readers. */
async function fill(projectId: string): Promise<void> {
  const { database } = suite;
  const reader = `'reader' || n % 1000 || '@example.org'`;
  await database.query(
    `INSERT INTO emails (project_id, id, content_id, from_email, to_email, subject, status, created_at)
     SELECT $1, uuidv7(), uuidv7(), 'a@a.example', ${reader}, 'News', 'DELIVERED', now() - n * interval '1 second' FROM generate_series(1, ${rows}) AS n`,
    [projectId],
  );
  for (const sql of [
    `INSERT INTO email_contents (project_id, id, html) SELECT project_id, content_id, 'News' FROM emails`,
    `INSERT INTO email_attachments (project_id, content_id, position, chunk, data) SELECT project_id, content_id, 0, 0, 'x' FROM emails`,
    `INSERT INTO email_events (project_id, email_id, id, status, recipient) SELECT project_id, id, uuidv7(), 'DELIVERED', to_email FROM emails`,
    `INSERT INTO engagements (project_id, email_id, id, kind, position, at) SELECT project_id, id, uuidv7(), 'OPEN', 0, now() FROM emails`,
    `INSERT INTO deliveries (project_id, email_id, position, recipient, lane, state, expires_at, bytes)
     SELECT project_id, id, place, CASE place WHEN 0 THEN to_email ELSE 'copy' || to_email END, 0, 'SENT', now(), 1 FROM emails, generate_series(0, 1) AS place`,
    `INSERT INTO idempotency_keys (project_id, operation, key, body_hash, receipt, created_at) SELECT project_id, 'o', id::text, 'h', '{}', created_at FROM emails`,
    `INSERT INTO suppressions (project_id, email, reason, source) SELECT project_id, id || to_email, 'MANUAL', 'API' FROM emails`,
    `INSERT INTO opt_outs (project_id, email, opted_out, contact_id, seq) SELECT project_id, id || to_email, true, project_id, 0 FROM emails`,
  ])
    await database.query(`${sql} WHERE project_id = '${projectId}'`);
  await database.query(`ANALYZE`);
}

/** In place of the database: returns how each statement would be done. */
function planned(): { database: Database; plans: string[] } {
  const plans: string[] = [];
  const query = async (sql: string, parameters: unknown[] = []): Promise<unknown[]> => {
    if (/^(SET|LOCK)/.test(sql)) return [];
    const lines = await suite.database.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN (COSTS OFF) ${sql}`,
      parameters,
    );
    plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
    return [];
  };
  return { database: { query } as unknown as Database, plans };
}

it('finds all data of an address by indexes, however much mail the project has', async () => {
  const { projectId } = await suite.buildProject();
  await fill(projectId);
  const email = 'reader7@example.org';
  const erased = {
    projectId,
    email,
    contactId: newId(),
    erasedAt: new Date(),
    hash: suite.hasher.hash(projectId, email),
    pattern: addressPattern(email),
  };
  const found = await new ErasedMailRepository(suite.database).to(erased, 200);
  expect(found).toHaveLength(rows / 1_000);
  const ids = found.map(({ id }) => id);
  const { database, plans } = planned();
  const [addresses, mail, waiting] = [
    new ErasedAddressesRepository(database),
    new ErasedMailRepository(database),
    new WaitingMailRepository(database),
  ];
  await addresses.remember(erased, projectId);
  await addresses.hashBlocks(erased);
  await addresses.hashInLists(erased);
  await waiting.idsTo(erased, 1_000);
  await waiting.idsOfCopiesTo(erased, 1_000);
  await waiting.end(erased, ids);
  await waiting.endCopies(erased, ids);
  await mail.to(erased, 200);
  await mail.copiesTo(erased, 200);
  await mail.open(erased, found);
  await mail.rewriteEvents(erased, ids, 1_000);
  await mail.rewriteEngagements(erased, found, 1_000);
  await mail.removeFiles(erased, found, 1_000);
  await mail.rewriteReceipts(erased, found);
  await mail.rewriteMails(erased, found);
  await mail.rewriteCopies(erased, found);
  const filled = await suite.database.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND reltuples >= 1000`,
  );
  // Partitions that are empty may be looked at whole.
  const scanned = new Set(
    plans.flatMap((plan) => Array.from(plan.matchAll(/Seq Scan on (\w+)/g), ([, table]) => table)),
  );
  expect(filled.map(({ name }) => name).filter((name) => scanned.has(name))).toEqual([]);
  expect(filled.length).toBeGreaterThanOrEqual(9);
  expect(plans.length).toBeGreaterThan(18);
});
