// Records every delivered e-mail once: node subscriber.mjs <file>
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

const file = process.argv[2] ?? 'delivered.jsonl';
const stream = 'EVENTS_SENDING';
const durable = 'example-delivered';
const consumer = {
  durable_name: durable,
  filter_subject: 'events.sending.email.delivered',
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  ack_wait: 30_000_000_000, // nanoseconds
};

// The ids of processed events. One line of the file holds both the effect and the id, so a single write stores both; in a database, use one transaction.
const taken = new Set(readLines().map(({ event }) => event));

const nats = await connect({
  servers: process.env.NATS_URL ?? 'nats://127.0.0.1:4222',
  maxReconnectAttempts: -1,
});
let stopping = false;
let messages = null;
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, stop);

while (!stopping) {
  try {
    await follow();
  } catch (error) {
    // The stream does not exist yet, or NATS is unavailable: try again.
    console.error(error.message);
  }
  if (!stopping) await delay(1_000);
}
await nats.close();

/** Processes events until it is stopped or the consumer is gone: if NATS has lost its store, the consumer must be created again. */
async function follow() {
  const manager = await jetstreamManager(nats);
  const { created } = await manager.consumers.add(stream, consumer);
  messages = await (await jetstream(nats).consumers.get(stream, durable)).consume();
  const watch = setInterval(async () => {
    const now = await manager.consumers
      .info(stream, durable)
      .catch(({ code }) => ({ lost: code === 10014 || code === 10059 }));
    if (now.lost || (now.created && now.created !== created)) messages.stop();
  }, 2_000);
  try {
    if (stopping) messages.stop();
    for await (const message of messages) {
      takeIn(message.json());
      message.ack();
    }
  } finally {
    clearInterval(watch);
  }
}

function takeIn({ id, projectId, items }) {
  if (taken.has(id)) return; // a duplicate
  const delivered = items.map(({ emailId, at }) => ({ emailId, at })); // fields that we do not know are ignored
  appendFileSync(file, `${JSON.stringify({ event: id, projectId, delivered })}\n`, { flush: true });
  taken.add(id);
}

function readLines() {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  truncateSync(file, Buffer.byteLength(whole)); // a line cut off by a crash was never acknowledged
  return whole
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

function stop() {
  stopping = true;
  messages?.stop();
}
