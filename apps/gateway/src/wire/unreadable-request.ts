import type { Socket } from 'node:net';

// Without a path there is no dialect, so the answer is legacy, as for every path outside v1.
const answers: Readonly<Record<string, readonly [line: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time'],
};
const malformed = ['400 Bad Request', 'The request is not valid HTTP'] as const;

export function answerUnreadable(error: { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [line, message] = answers[error.code ?? ''] ?? malformed;
  const body = JSON.stringify({ success: false, error: { message, code: 'VALIDATION_ERROR' } });
  const head = [
    'connection: close',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`HTTP/1.1 ${line}\r\n${head.join('\r\n')}\r\n\r\n${body}`);
}
