import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { emails } from '@posthorn/contracts';
import { eventually, lockWaiters } from '@posthorn/testing';
import { buildSend, startSendingSuite, type SendingSuite } from '../../testing/sending-suite.js';

describe('a worker that loses the answer of the database', () => {
  let suite: SendingSuite;
  beforeEach(async () => {
    suite = await startSendingSuite({ LEASE_SECONDS: '3', AMBIGUOUS_SECONDS: '1' }, { breakable: true });
  });
  afterEach(() => suite.stop());

  /** Postgres dawdles over this step until the way back is cut, and finishes it then. */
  async function cutDuring(state: 'CLAIMED' | 'HANDOFF'): Promise<void> {
    await suite.database.query(`
      CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(17); RETURN NEW; END $$;
      CREATE TRIGGER dawdle BEFORE UPDATE ON deliveries FOR EACH ROW WHEN (NEW.state = '${state}') EXECUTE FUNCTION dawdle()`);
    const { caller, domain } = await suite.buildProject();
    const send = buildSend(domain);
    const dawdling = () => lockWaiters(suite.database, { locktype: 'advisory' });
    await suite.database.transaction(async () => {
      await suite.database.query('SELECT pg_advisory_xact_lock(17)');
      await suite.database.apart(() => suite.bus.call(emails.accept, caller, send));
      await eventually(async () => (await dawdling()).length > 0, 'the statement is under way');
      suite.line.cut();
      suite.line.fix();
    });
    await eventually(async () => (await dawdling()).length === 0, 'the statement is over');
    await suite.database.query('DROP TRIGGER dawdle ON deliveries');
    const id = send.recipients[0]!.id;
    await eventually(
      () =>
        suite.bus.call(emails.get, caller, { id }).then(
          ({ status }) => status === 'DELIVERED',
          () => false,
        ),
      'DELIVERED',
    );
    expect(suite.sink.messages.filter(({ messageId }) => messageId.startsWith(id))).toHaveLength(1);
  }

  it('releases a claim that it does not know of', () => cutDuring('CLAIMED'));
  it('resolves a mark that it does not know of', () => cutDuring('HANDOFF'));
});
