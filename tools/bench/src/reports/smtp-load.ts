import { connect } from 'node:net';

interface Report {
  to: string;
  data: string;
}

const final = /^\d{3} [^\n]*\n$/m;

/** Sends reports over so many connections for a while; returns how many a second were taken. */
export async function sendReports(
  port: number,
  connections: number,
  seconds: number,
  report: () => Report,
): Promise<number> {
  const until = performance.now() + seconds * 1_000;
  const counts = await Promise.all(Array.from({ length: connections }, () => talk(port, until, report)));
  return counts.reduce((sum, count) => sum + count) / seconds;
}

async function talk(port: number, until: number, report: () => Report): Promise<number> {
  const socket = connect(port, '127.0.0.1').setNoDelay();
  let text = '';
  let onReply: () => void = () => undefined;
  socket.on('data', (data) => {
    text += data.toString('latin1');
    if (final.test(text)) onReply();
  });
  const reply = async (expected: string): Promise<void> => {
    if (!final.test(text)) await new Promise<void>((resolve) => (onReply = resolve));
    if (!text.startsWith(expected)) throw new Error(`the server said ${text}`);
    text = '';
  };
  const say = (words: string, expected: string): Promise<void> => {
    socket.write(words);
    return reply(expected);
  };
  await reply('220');
  await say('EHLO mx.example\r\n', '250');
  let taken = 0;
  while (performance.now() < until) {
    const { to, data } = report();
    await say('MAIL FROM:<>\r\n', '250');
    await say(`RCPT TO:<${to}>\r\n`, '250');
    await say('DATA\r\n', '354');
    await say(`${data}.\r\n`, '250');
    taken += 1;
  }
  socket.destroy();
  return taken;
}
