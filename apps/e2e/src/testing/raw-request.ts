import { connect } from 'node:net';
import { refuseUndescribedBytes } from './described.js';
import type { RunningPosthorn } from './running-posthorn.js';

/** The response of the gateway to bytes that no HTTP client would send. */
export async function rawRequest(
  posthorn: RunningPosthorn,
  lines: readonly string[],
): Promise<{ head: string; body: string }> {
  const { hostname, port } = new URL(posthorn.dev.baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  // The response may come before everything is written; the rest is ignored.
  socket.on('error', () => undefined);
  socket.write(`${[...lines, `host: ${hostname}`, 'connection: close'].join('\r\n')}\r\n\r\n`);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  await new Promise((resolve) => socket.once('close', resolve));
  const end = answer.indexOf('\r\n\r\n');
  const [head, body] = [answer.slice(0, end), answer.slice(end + 4)];
  // A client that is still writing may see the closed connection instead of the response.
  if (answer !== '')
    refuseUndescribedBytes(lines[0]!, {
      status: Number(head.split(' ')[1]),
      headers: headersIn(head),
      text: body,
    });
  return { head, body };
}

function headersIn(head: string): Headers {
  const lines = head.split('\r\n').slice(1);
  return new Headers(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
}
