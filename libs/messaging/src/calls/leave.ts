import { setTimeout as delay } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';

const leaveMs = 5_000;
const hanging = new WeakSet<NatsConnection>();

/** A server that hangs does not answer whoever takes leave of it, and the library waits until its pings tell; we wait once. */
export async function leave(nats: NatsConnection, drained: Promise<unknown>): Promise<void> {
  drained.catch(() => undefined);
  if (hanging.has(nats)) return;
  const timer = new AbortController();
  const tooLong = delay(leaveMs, 'too long', { ref: false, signal: timer.signal });
  const outcome = await Promise.race([drained, tooLong]).catch(() => undefined);
  if (outcome === 'too long') hanging.add(nats);
  timer.abort();
  await tooLong.catch(() => undefined);
}
