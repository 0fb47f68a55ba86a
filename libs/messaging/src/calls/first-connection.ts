import { setTimeout as delay } from 'node:timers/promises';
import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';

const pauseMs = 1_000;
const reportEveryMs = 10_000;

/** How long a start waits for servers that do not answer yet. */
export interface Patience {
  forMs: number;
  report?: (line: string) => void;
  now?: () => number;
  pause?: (ms: number) => Promise<unknown>;
}

/** Its message says what to do, and is printed as it is. */
export class NatsAway extends Error {
  override name = 'NatsAway';
}

/** The library asks each server once; before the first connection it does not try again. */
export async function firstConnection(
  options: NodeConnectionOptions & { servers: string[] },
  { forMs, report, now = () => performance.now(), pause = delay }: Patience,
): Promise<NatsConnection> {
  const began = now();
  let reported = { text: '', at: -Infinity };
  for (;;) {
    const outcome = await connect(options).catch((error: Error) => error);
    if (!(outcome instanceof Error)) {
      if (reported.text) report?.('NATS answers');
      return outcome;
    }
    const silent = await whoIsSilent(options, outcome);
    const text = `NATS does not answer: ${silent.join(', ')}`;
    const waited = now() - began;
    if (waited >= forMs) throw new NatsAway(`${text}${after(forMs)}: check NATS_URL`);
    if (text !== reported.text || now() - reported.at >= reportEveryMs) {
      reported = { text, at: now() };
      report?.(`${text}; waiting for ${Math.ceil((forMs - waited) / 1_000)} s more`);
    }
    await pause(pauseMs);
  }
}

const after = (ms: number): string => (ms > 0 ? ` for ${ms / 1_000} s` : '');

/** Each with its reason: the error of a list is only that of the last one. */
async function whoIsSilent(
  options: NodeConnectionOptions & { servers: string[] },
  error: Error,
): Promise<string[]> {
  const { servers } = options;
  if (servers.length === 1) return [`${servers[0]} (${reasonOf(error)})`];
  const found = await Promise.all(
    servers.map((server) =>
      connect({ ...options, servers: [server], reconnect: false }).then(
        async (connection) => (await connection.close(), []),
        (reason: Error) => [`${server} (${reasonOf(reason)})`],
      ),
    ),
  );
  return found.flat();
}

const reasonOf = ({ message, cause }: Error): string =>
  (cause instanceof Error && cause.message) || message || 'no answer';
