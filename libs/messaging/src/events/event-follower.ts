import { AckPolicy, DeliverPolicy, type StreamInfo } from '@nats-io/jetstream';
import { createHash } from 'node:crypto';
import { nanos, type Msg, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import { eventsOf, streamOf, unavailable, type ServiceName } from '@posthorn/contracts';
import type { BusConnection } from '../calls/connection.js';
import { decode, encode, readEvent, type WireEvent } from '../calls/frames.js';
import { newInbox } from '../calls/inboxes.js';
import { ensureStream, identityOf } from './event-stream.js';

const heartbeatMs = 5_000;
/** Three heartbeats that did not come. */
const silenceMs = 3 * heartbeatMs;
const abandonedMs = 30_000;
const requestMs = 5_000;

export interface StreamState {
  /** Changes when the stream is made again, and its sequences begin anew. */
  epoch: string;
  first: number;
  last: number;
}

export interface FollowedEvent {
  sequence: number;
  event: WireEvent;
  /** It was published before: its stream was lost, or an erasure replaced it. */
  isRepeated: boolean;
}

export async function streamState(connection: BusConnection, owner: ServiceName): Promise<StreamState> {
  if (!connection.connected) throw unavailable('NATS is away');
  return stateOf(await ensureStream(connection, owner));
}

const stateOf = (info: StreamInfo): StreamState => ({
  epoch: createHash('sha256').update(identityOf(info)).digest('hex').slice(0, 8),
  first: info.state.first_seq,
  last: info.state.last_seq,
});

interface Following {
  connection: BusConnection;
  owner: ServiceName;
  /** The sequence after which it begins. */
  after: number;
  /** Where it ends; without it, it follows. */
  last?: number;
  signal: AbortSignal;
}

/**
 * The events of a stream in its order, beside all subscribers: an ephemeral push consumer without acknowledgements, so that
 * nothing is stored about the reader. Ends with the signal; throws when it misses something or hears nothing.
 */
export async function* followEvents(following: Following): AsyncGenerator<FollowedEvent> {
  const { connection, last, signal } = following;
  const nats = connection.nats;
  const inbox = newInbox(nats);
  const subscription = nats.subscribe(inbox);
  const stop = () => subscription.unsubscribe();
  const silence = new Silence(stop);
  const forget = connection.onLost(stop);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const pending = signal.aborted ? 0 : await createConsumer(following, inbox);
    if (last !== undefined && pending === 0) return;
    for await (const received of messagesOf(subscription, nats, silence)) {
      if (last !== undefined && received.sequence > last) return;
      const followed = eventIn(received);
      if (followed) yield followed;
      if (last !== undefined && (received.sequence === last || received.pending === 0)) return;
    }
    if (!signal.aborted) throw unavailable(`the events of ${following.owner} are interrupted`);
  } finally {
    signal.removeEventListener('abort', stop);
    forget();
    silence.end();
    stop();
  }
}

interface Received {
  message: Msg;
  sequence: number;
  pending: number;
}

async function* messagesOf(
  subscription: Subscription,
  nats: NatsConnection,
  silence: Silence,
): AsyncGenerator<Received> {
  let delivered = 0;
  for await (const message of subscription) {
    silence.broken();
    if (isControl(message)) {
      answerControl(nats, message);
      continue;
    }
    const { delivery, ...place } = placeOf(message);
    if (delivery !== delivered + 1) throw unavailable('an event was not delivered');
    delivered = delivery;
    yield { message, ...place };
  }
}

/** The relay names an event by its id alone the first time. */
function eventIn({ message, sequence }: Received): FollowedEvent | null {
  const event = readEvent(message.data);
  return event && { sequence, event, isRepeated: message.headers?.get('Nats-Msg-Id').includes(' ') === true };
}

/** The old subject, which takes no name: the right to it gives none to the consumers of others. Returns how many messages wait. */
async function createConsumer({ connection, owner, after }: Following, inbox: string): Promise<number> {
  const stream = streamOf(owner);
  const config = {
    deliver_subject: inbox,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: after + 1,
    ack_policy: AckPolicy.None,
    filter_subject: eventsOf(owner),
    flow_control: true,
    idle_heartbeat: nanos(heartbeatMs),
    inactive_threshold: nanos(abandonedMs),
    mem_storage: true,
    num_replicas: 1,
  };
  const answer = await connection.nats.request(
    `$JS.API.CONSUMER.CREATE.${stream}`,
    encode(JSON.stringify({ stream_name: stream, config })),
    { timeout: requestMs },
  );
  const made = decode<{ error?: { description: string }; num_pending?: number }>(answer.data);
  if (made.error) throw unavailable(`the events of ${owner} cannot be followed: ${made.error.description}`);
  return made.num_pending ?? 0;
}

const isControl = ({ headers }: Msg): boolean => headers?.code === 100;

/** Heartbeats, which may say that the server waits for an answer, and requests for one: it sends on once we have read so far. */
function answerControl(nats: NatsConnection, message: Msg): void {
  const stalled = message.headers?.get('Nats-Consumer-Stalled');
  if (message.reply) message.respond();
  else if (stalled) nats.publish(stalled);
}

/** `$JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.<delivery>.<time>.<pending>`, with a domain and an account before the stream in later servers. */
function placeOf({ reply = '' }: Msg): { sequence: number; delivery: number; pending: number } {
  const tokens = reply.split('.');
  const at = tokens.length > 9 ? 7 : 5;
  return { sequence: Number(tokens[at]), delivery: Number(tokens[at + 1]), pending: Number(tokens[at + 3]) };
}

class Silence {
  private readonly timer: NodeJS.Timeout;

  constructor(onSilence: () => void) {
    this.timer = setTimeout(onSilence, silenceMs).unref();
  }

  broken(): void {
    this.timer.refresh();
  }

  end(): void {
    clearTimeout(this.timer);
  }
}
