import type { Socket } from 'node:net';

/**
 * Ends a connection so that the other side sees a reset. One that is ending already is only destroyed: libuv refuses to reset
 * it (EINVAL), and Node then takes it for closed without closing it, and spins for ever when the process exits.
 */
export function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
