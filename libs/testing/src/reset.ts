import type { Socket } from 'node:net';

/**
 * Closes a connection with a reset. One that is already closing is only destroyed: libuv refuses to reset it
 * (EINVAL), and Node then loops for ever at exit.
 */
export function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
