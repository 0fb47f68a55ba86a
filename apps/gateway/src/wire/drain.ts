import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Time for a newly accepted connection to send its request. */
const lingerMs = 250;
/** The listen queue holds 511 connections, and each turn of the event loop accepts two. */
const maxTurns = 300;

/** http.Server's own `close` would reset connections that were accepted but have not spoken yet (docs/guarantees.md G16). */
export async function drainServer(server: Server, maxRequestMs = 10_000): Promise<void> {
  await acceptWaiting(server);
  const ended = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  await firstOf(ended, lingerMs);
  server.closeIdleConnections();
  await firstOf(ended, maxRequestMs);
  server.closeAllConnections();
}

/** Connections in the listen queue would be reset with the listener, so they are accepted first. */
async function acceptWaiting(server: Server): Promise<void> {
  let added = true;
  const note = () => (added = true);
  server.on('connection', note);
  for (let turns = 0; added && turns < maxTurns; turns += 1) {
    added = false;
    // Two turns guarantee that the event loop has polled its sockets once in between.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  }
  server.off('connection', note);
}

async function firstOf(event: Promise<void>, milliseconds: number): Promise<void> {
  const timer = new AbortController();
  await Promise.race([
    event,
    delay(milliseconds, undefined, { signal: timer.signal }).catch(() => undefined),
  ]);
  timer.abort();
}
