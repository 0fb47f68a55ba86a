import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const size = 1024 * 1024;
const idleMs = 2_000;
const timeoutMs = 20_000;

const head = 'From: MAILER-DAEMON@mx.example\r\nSubject: failure\r\n';
const filled = (start: string, unit: string): string =>
  start + unit.repeat(Math.floor((size - start.length) / unit.length));

/** Texts whose shape makes parsers slow; each is what a stranger may send to somebody who sends mail. */
export const worstMails: readonly string[] = [
  filled(`${head}\r\n`, '\r\n'),
  filled(`${head}To: `, 'a:b@c;\r\n '),
  filled(`${head}Content-Type: multipart/report; boundary=b\r\n\r\n`, '--b\r\n'),
];

/** The SMTP server for bounces, as its clients see it. */
export class BouncePort {
  constructor(private readonly port: number) {}

  /** Returns the last reply, or null where the server ended the dialogue. */
  async post(to: string, raw: string, localAddress: string): Promise<string | null> {
    const dialogue = this.open(localAddress);
    const steps = ['EHLO mx.example', 'MAIL FROM:<>', `RCPT TO:<${to}>`, 'DATA', `${raw}\r\n.`];
    let reply = await dialogue.next();
    for (const step of steps) {
      if (reply === null || reply >= '4') break;
      reply = await dialogue.say(step);
    }
    dialogue.close();
    return reply;
  }

  /** Milliseconds until the server greets and answers; null where it does not. */
  async visit(localAddress: string): Promise<number | null> {
    const beganAt = performance.now();
    const dialogue = this.open(localAddress);
    const greeting = await dialogue.next();
    const answer = greeting?.startsWith('220') ? await dialogue.say('EHLO mx.example') : null;
    dialogue.close();
    return answer?.startsWith('250') ? performance.now() - beganAt : null;
  }

  /** Keeps a connection for as long as the server lets it, and comes again. */
  async hold(localAddress: string, until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      const dialogue = this.open(localAddress);
      let reply = await dialogue.next();
      while (reply !== null && !until.aborted) {
        await delay(idleMs);
        reply = await dialogue.say('NOOP');
      }
      dialogue.close();
      await delay(idleMs);
    }
  }

  private open(localAddress: string): Dialogue {
    return new Dialogue(connect({ port: this.port, host: '127.0.0.1', localAddress, timeout: timeoutMs }));
  }
}

class Dialogue {
  private text = '';
  private awake: () => void = () => undefined;

  constructor(private readonly socket: Socket) {
    socket.on('data', (data) => {
      this.text += data.toString('latin1');
      this.awake();
    });
    socket.on('timeout', () => socket.destroy());
    for (const event of ['error', 'close', 'end']) socket.on(event, () => this.awake());
  }

  async next(): Promise<string | null> {
    for (;;) {
      const reply = /^(?:\d{3}-[^\n]*\n)*\d{3} [^\n]*\n/.exec(this.text)?.[0];
      if (reply !== undefined) {
        this.text = this.text.slice(reply.length);
        return reply.trim();
      }
      if (this.socket.destroyed || this.socket.readableEnded) return null;
      await new Promise<void>((resolve) => (this.awake = resolve));
    }
  }

  say(line: string): Promise<string | null> {
    if (!this.socket.destroyed) this.socket.write(`${line}\r\n`, 'latin1');
    return this.next();
  }

  close(): void {
    this.socket.destroy();
  }
}
