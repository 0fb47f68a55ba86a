import { connect } from 'node:net';
import type { RunningPosthorn } from './running-posthorn.js';

/** What the gateway answers to bytes that no HTTP client would send. */
export async function rawRequest(posthorn: RunningPosthorn, lines: readonly string[]): Promise<{ head: string; body: string }> {
  const { hostname, port } = new URL(posthorn.dev.baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  // The answer may come before all is written: what is left is nobody's then.
  socket.on('error', () => undefined);
  socket.write(`${[...lines, `host: ${hostname}`, 'connection: close'].join('\r\n')}\r\n\r\n`);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  await new Promise((resolve) => socket.once('close', resolve));
  const end = answer.indexOf('\r\n\r\n');
  return { head: answer.slice(0, end), body: answer.slice(end + 4) };
}
