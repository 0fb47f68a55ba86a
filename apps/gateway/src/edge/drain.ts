import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Long enough for a connection that was just taken to say what it wants. */
const lingerMs = 250;
const longestRequestMs = 10_000;

/**
 * Takes no new connections, answers what has come, and ends. http.Server's own `close` would reset connections that were
 * accepted but have not spoken yet: their clients saw an open door (guarantees.md G16).
 */
export async function drainServer(server: Server): Promise<void> {
  const ended = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  await firstOf(ended, lingerMs);
  server.closeIdleConnections();
  await firstOf(ended, longestRequestMs);
  server.closeAllConnections();
}

async function firstOf(event: Promise<void>, milliseconds: number): Promise<void> {
  const timer = new AbortController();
  await Promise.race([event, delay(milliseconds, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
}
