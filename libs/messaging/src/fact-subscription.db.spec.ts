import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emailFacts } from '@posthorn/contracts';
import { newId, openDatabase, type Database, type QueryRunner } from '@posthorn/database';
import { cloneDatabase, eventually, FactSource, startTestNats, type TestDatabase, type TestNats } from '@posthorn/testing';
import { BusConnection } from './connection.js';
import { FactSubscription } from './fact-subscription.js';
import type { Fact } from './handlers.js';
import { Inbox } from './inbox.repository.js';
import { addMessagingRepair, createMessagingTables } from './messaging-tables.migration.js';
import { Outbox } from './outbox.repository.js';

class CreateInbox1763700000000 {
  up = (runner: QueryRunner) => createMessagingTables(runner).then(() => addMessagingRepair(runner));
  down = () => Promise.reject(new Error('never undone'));
}

const parts = { entities: [], migrations: [CreateInbox1763700000000] };
const item = (to: string) => ({ emailId: newId(), to, at: new Date(), sourceType: 'TRANSACTIONAL' as const });

describe('a subscriber', () => {
  let nats: TestNats;
  let clone: TestDatabase;
  let database: Database;
  let connection: BusConnection;
  let source: FactSource;
  const running: FactSubscription[] = [];

  beforeAll(async () => {
    [nats, clone] = await Promise.all([startTestNats(), cloneDatabase('subscriber', parts)]);
    database = await openDatabase({ url: clone.url, name: 'subscriber', poolSize: 4, ...parts });
    connection = await BusConnection.open({ url: nats.url, name: 'subscriber' });
    source = await FactSource.start(connection);
  });
  afterAll(async () => {
    await Promise.all(running.map((each) => each.stop()));
    await source.stop();
    await connection.close();
    await database.close();
    await Promise.all([clone.drop(), nats.stop()]);
  });

  const subscribe = (durable: string, run: (fact: Fact<object>) => Promise<void>) => {
    const options = { connection, inbox: new Inbox(database), outbox: new Outbox(database), contract: emailFacts.delivered, durable, run };
    const subscription = new FactSubscription({ ...options, redelivery: [5] });
    running.push(subscription);
    subscription.start();
  };
  const addresses = (facts: Fact<object>[]) => facts.flatMap(({ items }) => (items as { to: string }[]).map(({ to }) => to)).sort();

  it('hears every item once, also when everything is told again', async () => {
    const heard: Fact<object>[] = [];
    subscribe('spec-once', async (fact) => void heard.push(fact));
    const wanted = Array.from({ length: 40 }, (_, place) => `reader-${String(place).padStart(2, '0')}@x.test`);
    for (const to of wanted) await source.tell(emailFacts.delivered, newId(), [item(to)]);
    await eventually(async () => addresses(heard).length >= wanted.length, 'all heard');
    await source.repeatAll();
    await source.taken('spec-once');
    expect(addresses(heard)).toEqual(wanted);
  });

  it('buries what fails six times, with its words, and takes in all the others', async () => {
    const heard: Fact<object>[] = [];
    let tries = 0;
    subscribe('spec-poison', async (fact) => {
      if (addresses([fact]).includes('poison@x.test')) {
        tries += 1;
        throw new Error('cannot take this');
      }
      heard.push(fact);
    });
    await source.tell(emailFacts.delivered, newId(), [item('before@x.test')]);
    await source.tell(emailFacts.delivered, newId(), [item('poison@x.test')]);
    await source.tell(emailFacts.delivered, newId(), [item('after@x.test')]);
    const [letter] = await eventually(async () => {
      const rows = await database.query<{ error: string; payload: { items: object[] } }>(
        `SELECT error, payload FROM dead_letters WHERE subscriber = 'spec-poison'`,
      );
      return rows.length > 0 && rows;
    }, 'the dead letter');
    expect(letter).toMatchObject({ error: 'cannot take this', payload: { items: [{ to: 'poison@x.test' }] } });
    expect(tries).toBeGreaterThanOrEqual(6);
    await eventually(async () => addresses(heard).includes('after@x.test') && addresses(heard).includes('before@x.test'), 'the others');
  });
});
