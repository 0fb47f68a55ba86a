import { connect } from 'node:net';

/** Speaks SMTP word by word; the replies to each step, the greeting first. */
export async function talkSmtp(
  port: number,
  steps: Iterable<string | Buffer>,
  localAddress = '127.0.0.1',
  /** What a balancer says before anybody else. */
  preface = '',
): Promise<string[]> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.write(preface);
  const replies: string[] = [];
  let text = '';
  let onData: () => void = () => undefined;
  socket.on('data', (data) => {
    text += data.toString('latin1');
    onData();
  });
  socket.on('error', () => onData());
  socket.on('close', () => onData());
  const next = async () => {
    for (;;) {
      const end = /^(?:\d{3}-[^\n]*\n)*\d{3} [^\n]*\r?\n/.exec(text);
      if (end) {
        text = text.slice(end[0].length);
        return end[0].trim();
      }
      if (socket.destroyed) return 'closed';
      await new Promise<void>((resolve) => (onData = resolve));
    }
  };
  replies.push(await next());
  for (const step of steps) {
    socket.write(typeof step === 'string' ? `${step}\r\n` : step);
    replies.push(await next());
  }
  socket.destroy();
  return replies.map((reply) => reply.slice(0, 3));
}
