import type { Readable } from 'node:stream';
import { performance } from 'node:perf_hooks';
import { judge, parseReply, type Attempt, type SmtpReply, type SmtpStage } from './smtp-attempt.js';
import type { StageTrackingConnection } from './stage-tracking-connection.js';
import { WireBody } from '../message/wire-body.js';

export interface SmtpTimeouts {
  connectMs: number;
  openingStepMs: number;
  /** For the replies to MAIL, RCPT and DATA together, and again for each piece of the body. */
  commandMs: number;
  /** RFC 5321 §4.5.3.2.6: a shorter timeout causes duplicates. */
  dotMs: number;
}

export interface SmtpDelivery {
  /** In wire form (A-labels); `utf8` where the envelope or a header needs SMTPUTF8. */
  envelope: { from: string; to: string; utf8?: boolean };
  raw: Buffer;
  /** Called before DATA and before the last bytes; when it throws, there is no final dot. */
  assertLeaseHeld?: () => void;
}

interface SendError extends Error {
  code?: string;
  command?: string;
  response?: string;
}

interface Unpipeable {
  unpipe(): unknown;
}

const pieceBytes = 256 * 1024;
const stageOfCommand: Record<string, SmtpStage> = {
  'MAIL FROM': 'mail',
  'RCPT TO': 'rcpt',
  DATA: 'data',
  RSET: 'mail',
};

/** One message over one connection. Ends once, with the first of: a reply, an error, a deadline, a lost lease. */
export class SmtpTransaction {
  private readonly startedAt = performance.now();
  private bodyStarted = false;
  private lastByteWritten = false;
  private settled = false;
  private timer?: NodeJS.Timeout;
  private resolve: (attempt: Attempt) => void;

  constructor(
    private readonly connection: StageTrackingConnection,
    private readonly delivery: SmtpDelivery,
    private readonly host: string,
    private readonly timeouts: SmtpTimeouts,
    private readonly resetFirst: boolean,
  ) {}

  run(usable: boolean): Promise<Attempt> {
    return new Promise((resolve) => {
      this.resolve = resolve;
      this.connection.clearCommands();
      this.connection.forceUtf8 = this.delivery.envelope.utf8 === true;
      this.connection.allowsCommand = (stage) => stage !== 'data' || this.checkLease();
      if (!usable) this.drop('mail', 'connection closed');
      else if (this.needsUtf8() && !this.connection.supports('SMTPUTF8')) this.refuseUtf8();
      else if (this.resetFirst) this.reset();
      else this.send();
    });
  }

  fail(error: SendError): void {
    if (this.settled) return;
    const stage = this.stageOf(error);
    // When the connection closes, nodemailer reports an incomplete line as a response. Only 421, which announces the close, is one.
    const lost = error.command === 'CONN' && !error.response?.startsWith('421');
    const reply = lost ? undefined : parseReply(error.response || undefined);
    const refusedByNodemailer = error.command === 'API';
    if (refusedByNodemailer || (error.code === 'EMESSAGE' && !error.response)) this.refuseLocally(error);
    else this.settle(stage, reply, reply === undefined ? error.message : undefined);
  }

  private reset(): void {
    this.arm(this.timeouts.commandMs);
    this.connection.reset((error) => {
      if (error) this.fail(error);
      else this.send();
    });
  }

  private send(): void {
    const { envelope, raw } = this.delivery;
    this.arm(this.timeouts.commandMs);
    // nodemailer accepts anything with `pipe` as a stream and calls it only after the reply to DATA.
    const body = { pipe: (stream: Unpipeable) => this.onServerReady(stream) };
    this.connection.send(
      { from: envelope.from, to: envelope.to, size: raw.length },
      body as unknown as Readable,
      (error, info) => {
        if (error) this.fail(error);
        else this.finish(info!.response);
      },
    );
  }

  private onServerReady(stream: Unpipeable): void {
    // Its own stream would add the dot by itself; ours is written explicitly, so that we know when.
    stream.unpipe();
    this.bodyStarted = true;
    const answer = String(this.connection.lastServerResponse);
    // nodemailer takes a 250 for the 354; after an unsolicited reply all later ones are off by one.
    if (!answer.startsWith('354') || this.connection.hasUnexpectedReply)
      this.drop('data', `out of step: ${answer.slice(0, 100)}`);
    else this.writeNext(new WireBody(this.delivery.raw));
  }

  private writeNext(wire: WireBody): void {
    if (this.settled) return;
    const socket = this.connection.socket!;
    if (wire.left > pieceBytes) {
      this.arm(this.timeouts.commandMs);
      // One turn of the event loop a piece, so that a refusal or reset is seen before the last byte.
      socket.write(wire.next(pieceBytes), (error) => {
        if (!error) setImmediate(() => this.writeNext(wire));
      });
    } else if (this.checkLease()) {
      this.lastByteWritten = true;
      this.arm(this.timeouts.dotMs);
      socket.write(wire.next(pieceBytes));
    }
  }

  private finish(response: string): void {
    if (this.lastByteWritten) this.settle('dot', parseReply(response), undefined);
    else this.drop('body', 'accepted before the last byte');
  }

  private checkLease(): boolean {
    try {
      this.delivery.assertLeaseHeld?.();
      return !this.settled;
    } catch {
      this.drop(this.bodyStarted ? 'body' : 'data', 'lease_lost');
      return false;
    }
  }

  private needsUtf8(): boolean {
    const { from, to, utf8 } = this.delivery.envelope;
    return utf8 === true || /[^\0-\x7f]/.test(from + to);
  }

  private refuseUtf8(): void {
    const sender = /[^\x20-\x7e]/.test(this.delivery.envelope.from);
    // RFC 6531 §3.5 defines this reply; here the client produces it itself.
    this.settle(
      sender ? 'mail' : 'rcpt',
      { code: 553, enhanced: '5.6.7', text: 'SMTPUTF8 is not offered' },
      'not sent',
    );
  }

  /** nodemailer refuses to send: the message exceeds SIZE, or an address is invalid. */
  private refuseLocally(error: SendError): void {
    if (error.code === 'EMESSAGE')
      this.settle('mail', { code: 552, enhanced: '5.3.4', text: error.message }, 'not sent');
    else if (error.code === 'EENVELOPE')
      this.settle('rcpt', { code: 553, enhanced: '5.1.3', text: error.message }, 'not sent');
    else this.settle('mail', undefined, error.message);
  }

  private stageOf(error: SendError): SmtpStage {
    if (this.bodyStarted) return this.lastByteWritten ? 'dot' : 'body';
    return (
      stageOfCommand[error.command ?? ''] ??
      (error.response?.startsWith('421') ? 'rcpt' : this.connection.waitingAt)
    );
  }

  private arm(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(
      () =>
        this.drop(
          this.bodyStarted ? (this.lastByteWritten ? 'dot' : 'body') : this.connection.waitingAt,
          'timeout',
        ),
      ms,
    );
  }

  private drop(stage: SmtpStage, error: string): void {
    this.settle(stage, undefined, error, false);
  }

  private settle(
    stage: SmtpStage,
    reply: SmtpReply | undefined,
    error: string | undefined,
    keep = true,
  ): void {
    if (this.settled) return;
    this.settled = true;
    clearTimeout(this.timer);
    const verdict = judge(stage, reply);
    const { connection, host } = this;
    // After a refusal within the body the server waits for the rest; 421 announces a close.
    const sessionUsable =
      keep &&
      inStep(verdict) &&
      stage !== 'body' &&
      reply?.code !== 421 &&
      !connection.destroyed &&
      !connection.hasUnexpectedReply;
    const durationMs = performance.now() - this.startedAt;
    const attempt: Attempt = {
      verdict,
      stage,
      reply,
      host,
      tls: connection.secure,
      durationMs,
      sessionUsable,
    };
    if (!sessionUsable) connection.close();
    this.resolve(error === undefined ? attempt : { ...attempt, error });
  }
}

function inStep(verdict: Attempt['verdict']): boolean {
  return verdict === 'accepted' || verdict === 'refused' || verdict === 'refused_temporarily';
}
