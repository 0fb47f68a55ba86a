import { oddReply } from './odd-replies.js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { behaviourOf, SmtpSink, wireFaults } from './smtp-sink.js';

let sink: SmtpSink;
const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.socket.destroy();
  await sink.stop();
});

/** A raw client. */
class Client {
  private text = '';
  private wanted?: { pattern: RegExp; resolve: (text: string) => void };
  readonly closed: Promise<void>;

  constructor(readonly socket: Socket) {
    clients.push(this);
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('data', (chunk) => {
      this.text += chunk.toString();
      this.look();
    });
  }

  log(text: string): void {
    this.socket.write(text);
  }

  listen(pattern: RegExp): Promise<string> {
    return new Promise((resolve) => {
      this.wanted = { pattern, resolve };
      this.look();
    });
  }

  private look(): void {
    if (this.wanted === undefined || !this.wanted.pattern.test(this.text)) return;
    const { resolve } = this.wanted;
    this.wanted = undefined;
    resolve(this.text);
    this.text = '';
  }
}

const dial = (): Client => new Client(connect(sink.port, '127.0.0.1'));
const message =
  'From: a@b.test\r\nDate: x\r\nMessage-ID: <7@b.test>\r\nMIME-Version: 1.0\r\n\r\n..stuffed\r\n.\r\n';
const whole = (to: string): string =>
  `EHLO x\r\nMAIL FROM:<a@b.test>\r\nRCPT TO:<${to}>\r\nDATA\r\n${message}`;

describe('sink', () => {
  it('stores a message before it replies, in memory and in the ledger', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sink-'));
    const ledger = join(folder, 'ledger.jsonl');
    sink = await SmtpSink.start({ ledger });
    const client = dial();
    client.log(whole('drop-after-accept@d.test'));
    await client.closed;
    expect(sink.messages).toMatchObject([
      { messageId: '7@b.test', from: 'a@b.test', to: 'drop-after-accept@d.test', faults: [] },
    ]);
    expect(sink.messages[0].raw!.toString()).toMatch(/\r\n\r\n\.stuffed\r\n$/);
    expect(JSON.parse(readFileSync(ledger, 'utf8'))).toMatchObject({
      messageId: '7@b.test',
      to: 'drop-after-accept@d.test',
    });
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['ids', 1],
    ['count', 0],
  ] as const)('keeps %s', async (keep, stored) => {
    sink = await SmtpSink.start({ keep });
    dial().log(whole('ok@d.test'));
    await sink.waitFor(1);
    expect(sink.messages).toHaveLength(stored);
    expect(sink.messages.every(({ raw }) => raw === undefined)).toBe(true);
  });

  it('accepts commands and bodies in any chunks', async () => {
    sink = await SmtpSink.start();
    const client = dial();
    for (const character of whole('ok@d.test')) client.log(character);
    await sink.waitFor((messages) => messages.some(({ to }) => to === 'ok@d.test'));
    client.log('QUIT\r\n');
    expect(await client.listen(/221 /)).toContain('250 2.0.0 Ok: queued');
  });

  it('reports what is missing after a timeout', async () => {
    sink = await SmtpSink.start();
    await expect(sink.waitFor(1, 5)).rejects.toThrow('the sink has 0 messages');
  });

  it('does not respond while paused and continues afterwards', async () => {
    sink = await SmtpSink.start();
    const before = dial();
    await before.listen(/220 /);
    sink.pause();
    const during = dial();
    for (const client of [before, during]) client.log(whole('ok@d.test'));
    await expect(sink.waitFor(1, 20)).rejects.toThrow();
    sink.resume();
    await sink.waitFor(2);
  });

  it('answers with odd but complete replies, the same for the same number', async () => {
    sink = await SmtpSink.start();
    const client = dial();
    client.log(
      'EHLO x\r\nMAIL FROM:<a@b.test>\r\nRCPT TO:<odd-550-2-at-rcpt@d.test>\r\nRCPT TO:<ok@d.test>\r\n',
    );
    expect(await client.listen(/250 2.1.5/)).toContain('550 lone\rreturn\r\rhere\r\n250 2.1.5 Ok');
    for (let number = 0; number < 100; number += 1) {
      const reply = oddReply('451', number);
      expect(reply).toEqual(oddReply('451', number));
      expect(reply.toString('latin1')).toMatch(/^451[ -][\s\S]*\r\n$|^451\r\n$/);
    }
  });

  it('refuses the given number of times and then accepts', async () => {
    sink = await SmtpSink.start();
    const client = dial();
    client.log('EHLO x\r\nMAIL FROM:<a@b.test>\r\n' + 'RCPT TO:<refuse-450-times-2@d.test>\r\n'.repeat(3));
    expect((await client.listen(/250 2.1.5/)).match(/450 not yet/g)).toHaveLength(2);
  });
});

describe('behaviour of a recipient', () => {
  it.each([
    ['ok@d.test', {}],
    ['someone+rcpt-550@d.test', {}],
    ['rcpt-550+x@d.test', { rcpt: { kind: 'reply', text: '550 as asked' } }],
    ['dot-451-4.3.0@d.test', { dot: { kind: 'reply', text: '451 4.3.0 as asked' } }],
    ['hang-at-rcpt@d.test', { rcpt: { kind: 'hang' } }],
    ['drop-before-dot@d.test', { body: { kind: 'drop' } }],
    ['reset-after-dot@d.test', { dot: { kind: 'reset' } }],
    ['drop-after-accept@d.test', { accept: { kind: 'drop' } }],
    ['late-at-accept-40@d.test', { accept: { kind: 'late', ms: 40 } }],
    ['drop-before-dot-once+7@d.test', { body: { kind: 'drop', times: 1 } }],
    ['refuse-450-times-3@d.test', { rcpt: { kind: 'reply', text: '450 not yet', times: 3 } }],
  ])('%s', (recipient, behaviour) => {
    expect(behaviourOf(recipient)).toEqual(behaviour);
  });
});

describe('wire faults', () => {
  const good = 'From: a@b.test\r\nDate: x\r\nMessage-ID: <7@b.test>\r\nMIME-Version: 1.0\r\n\r\n';
  it.each([
    [good, []],
    [`${good}a\nb`, ['bare LF']],
    [`${good}a\rb`, ['bare CR']],
    [`${good}a\0b`, ['NUL']],
    [`${good}${'x'.repeat(998)}\r\n`, []],
    [`${good}${'x'.repeat(999)}\r\n`, ['long line']],
    [`From: b@c.test\r\n${good}`, ['2× from']],
    [good.replace('Date: x\r\n', ''), ['0× date']],
  ])('%j', (raw, faults) => {
    expect(wireFaults(Buffer.from(raw))).toEqual(faults);
  });
});
