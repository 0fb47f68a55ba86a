// A subscriber of its own process, which one of its events kills: `node … <database> <nats> <poisonous e-mail>`.
import { emailEvents } from '@posthorn/contracts';
import { openDatabase } from '@posthorn/database';
import { BusConnection } from '../calls/connection.js';
import { Inbox } from '../events/inbox.repository.js';
import { effectsTable } from './effects-table.js';
import { subscriptionOf } from './one-subscriber.js';

const [databaseUrl = '', natsUrl = '', poison] = process.argv.slice(2);
const database = await openDatabase({
  url: databaseUrl,
  name: 'dying',
  poolSize: 4,
  connectTimeoutMs: 30_000,
  ...effectsTable,
});
const connection = await BusConnection.open({ url: natsUrl, name: 'dying' });
const durable = 'spec-dying';

subscriptionOf({
  connection,
  inbox: new Inbox(database),
  contract: emailEvents.delivered,
  name: durable,
  timeouts: { ackWaitMs: 1_000, redeliveryMs: [100] },
  run: async ({ items }) => {
    const ids = (items as { emailId: string }[]).map(({ emailId }) => emailId);
    if (ids.includes(poison!)) process.kill(process.pid, 'SIGKILL');
    await database.query(`INSERT INTO effects SELECT $1, unnest($2::uuid[])`, [durable, ids]);
  },
}).start();
