import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { emails, type Caller } from '@posthorn/contracts';
import { eventually, lockWaiters } from '@posthorn/testing';
import { buildSend, startSendingSuite, type SendingSuite } from '../../testing/sending-suite.js';
import { Provider } from './provider.js';

describe('a worker that does not know what became of its messages', () => {
  let suite: SendingSuite;
  beforeEach(async () => {
    suite = await startSendingSuite({ LEASE_SECONDS: '3', AMBIGUOUS_SECONDS: '1' }, { breakable: true });
  });
  afterEach(() => suite.stop());

  const untilDelivered = (caller: Caller, id: string) =>
    eventually(
      () =>
        suite.bus.call(emails.get, caller, { id }).then(
          ({ status }) => status === 'DELIVERED',
          () => false,
        ),
      'DELIVERED',
    );

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
    await untilDelivered(caller, id);
    expect(suite.sink.messages.filter(({ messageId }) => messageId.startsWith(id))).toHaveLength(1);
  }

  it('releases a claim that it does not know of', () => cutDuring('CLAIMED'));
  it('resolves a mark that it does not know of', () => cutDuring('HANDOFF'));

  it('sends a message again whose hand-off ended with an unexpected error', async () => {
    const { caller, domain } = await suite.buildProject();
    const send = buildSend(domain);
    const { deliver } = Provider.prototype;
    Provider.prototype.deliver = () => {
      Provider.prototype.deliver = deliver;
      throw new Error('unexpected');
    };
    await suite.bus.call(emails.accept, caller, send);
    await untilDelivered(caller, send.recipients[0]!.id);
    expect(Provider.prototype.deliver).toBe(deliver);
  });
});
