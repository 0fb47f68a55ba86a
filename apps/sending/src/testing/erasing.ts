import { eraseIn, type Caller } from '@posthorn/contracts';
import { newId, type Database } from '@posthorn/database';
import type { SendingSuite } from './sending-suite.js';

const maxCalls = 20;

export const eraseOnce = async (
  { bus }: SendingSuite,
  caller: Caller,
  email: string,
  { contactId = newId(), erasedAt = new Date() } = {},
): Promise<boolean> =>
  (await bus.call(eraseIn.sending, caller, { erasureId: newId(), contactId, email, erasedAt })).done;

export async function erase(suite: SendingSuite, caller: Caller, email: string): Promise<number> {
  for (let calls = 1; calls <= maxCalls; calls += 1) if (await eraseOnce(suite, caller, email)) return calls;
  throw new Error(`${maxCalls} calls did not erase the address`);
}

/** Events are rewritten by the services that store them. */
const ofEvents = ['outbox', 'dead_letters', 'inbox'];

/** Searches all tables, in any case. */
export async function tablesNaming(database: Database, text: string): Promise<string[]> {
  const tables = await database.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace ORDER BY 1`,
  );
  const naming: string[] = [];
  for (const { name } of tables.filter((table) => !ofEvents.includes(table.name))) {
    const found = await database.query(
      `SELECT 1 FROM ${name} AS row WHERE row::text ILIKE '%' || $1 || '%' LIMIT 1`,
      [text],
    );
    if (found.length > 0) naming.push(name);
  }
  return naming;
}

/** As if the mail server had accepted all deliveries of an e-mail. */
export async function markDelivered(database: Database, emailId: string): Promise<void> {
  await database.query(`UPDATE deliveries SET state = 'SENT' WHERE email_id = $1`, [emailId]);
  await database.query(
    `UPDATE emails SET status = 'DELIVERED', sent_at = now() - interval '1 hour' WHERE id = $1`,
    [emailId],
  );
}
