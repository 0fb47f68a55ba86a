import { connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Metrics } from '@posthorn/telemetry';
import { eventually, talkSmtp } from '@posthorn/testing';
import type { SendingConfig } from '../config.js';
import { Dialogues, type DialogueTimes } from './dialogues.js';
import type { MailReports } from './mail-reports.service.js';
import { ReturnPathServer } from './return-path-server.js';

const generous = { betweenMs: 60_000, messageMs: 60_000, sessionMs: 60_000 };
const reports = { accepts: () => true, take: () => Promise.resolve(0) } as unknown as MailReports;

let server: ReturnPathServer;
afterEach(() => server.onApplicationShutdown());

async function start(times: Partial<DialogueTimes>): Promise<number> {
  const config = { inboundPort: 0, inboundHost: '127.0.0.1' } as SendingConfig;
  server = new ReturnPathServer(config, reports, new Metrics('test'));
  server.dialogues = new Dialogues({ ...generous, ...times });
  server.onApplicationBootstrap();
  return eventually(async () => server.port, 'the port is open');
}

const envelope = ['MAIL FROM:<>', 'RCPT TO:<a@b.example>', 'DATA'];
const message = Buffer.from('Subject: x\r\n\r\nx\r\n.\r\n');

/** How a client that goes on as long as it may is ended. */
function lasting(port: number, first: string, then: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let isFirst = true;
    socket.on('data', () => {
      socket.write(isFirst ? first : then);
      isFirst = false;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
  });
}

describe('a dialogue', () => {
  it('that only says NOOP ends', async () => {
    const port = await start({ betweenMs: 400 });
    await lasting(port, 'EHLO mx.example\r\n', 'NOOP\r\n');
  });

  it('with a message that does not end is ended', async () => {
    const port = await start({ messageMs: 400 });
    await lasting(port, 'EHLO mx.example\r\nMAIL FROM:<>\r\nRCPT TO:<a@b.example>\r\nDATA\r\n', 'x\r\n');
  });

  it('that goes on and on ends with its session', async () => {
    const port = await start({ sessionMs: 400 });
    await lasting(port, 'EHLO mx.example\r\n', 'NOOP\r\n');
  });

  it('goes on as long as messages come', async () => {
    const betweenMs = 500;
    const port = await start({ betweenMs });
    function* messages() {
      yield 'EHLO mx.example';
      for (const until = performance.now() + 4 * betweenMs; performance.now() < until;)
        yield* [...envelope, message];
    }
    expect((await talkSmtp(port, messages())).at(-1)).toBe('250');
  });
});

describe('connections of one network', () => {
  it('are refused with a word beyond their places, while another network has some', async () => {
    const port = await start({});
    const sockets = Array.from({ length: 40 }, (_, index) =>
      connect({ port, host: '127.0.0.1', localAddress: `127.9.${index % 2}.${index + 1}` }),
    );
    const said = await Promise.all(
      sockets.map(
        (socket) => new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString()))),
      ),
    );
    expect(said.filter((line) => line.startsWith('220'))).toHaveLength(20);
    expect(said.filter((line) => line.startsWith('421 4.7.0'))).toHaveLength(20);
    expect(await talkSmtp(port, ['EHLO mx.example', ...envelope, message], '127.10.0.1')).toEqual([
      ...['220', '250', '250', '250', '354', '250'],
    ]);
    for (const socket of sockets) socket.destroy();
  });
});
