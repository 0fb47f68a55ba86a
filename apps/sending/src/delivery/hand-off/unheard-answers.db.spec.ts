import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { emails } from '@posthorn/contracts';
import { eventually } from '@posthorn/testing';
import { buildSend, startSendingSuite, type SendingSuite } from '../../testing/sending-suite.js';

describe('a worker that loses the answer of the database', () => {
  let suite: SendingSuite;
  beforeEach(async () => {
    suite = await startSendingSuite({ LEASE_SECONDS: '3', AMBIGUOUS_SECONDS: '1' }, { breakable: true });
  });
  afterEach(() => suite.stop());

  /** Postgres dawdles over this step, and finishes it while the way back is cut. */
  async function cutDuring(state: 'CLAIMED' | 'HANDOFF'): Promise<void> {
    await suite.database.query(`
      CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.4); RETURN NEW; END $$;
      CREATE TRIGGER dawdle BEFORE UPDATE ON deliveries FOR EACH ROW WHEN (NEW.state = '${state}') EXECUTE FUNCTION dawdle()`);
    const { caller, domain } = await suite.buildProject();
    const send = buildSend(domain);
    await suite.bus.call(emails.accept, caller, send);
    const dawdling = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`;
    await eventually(
      async () => (await suite.database.query(dawdling)).length > 0,
      'the statement is under way',
    );
    suite.line.cut();
    suite.line.fix();
    await eventually(
      async () => (await suite.database.query(dawdling)).length === 0,
      'the statement is over',
    );
    await suite.database.query('DROP TRIGGER dawdle ON deliveries');
    const id = send.recipients[0]!.id;
    await eventually(
      async () => (await suite.bus.call(emails.get, caller, { id })).status === 'DELIVERED',
      'DELIVERED',
    );
    expect(suite.sink.messages.filter(({ messageId }) => messageId.startsWith(id))).toHaveLength(1);
  }

  it('releases a claim that it does not know of', () => cutDuring('CLAIMED'));
  it('resolves a mark that it does not know of', () => cutDuring('HANDOFF'));
});
