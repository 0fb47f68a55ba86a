import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import {
  behaviourOf,
  type EarlyStage,
  type LateStage,
  type SinkBehaviour,
  type SinkFault,
} from './sink-behaviour.js';
import { SinkReplies } from './sink-replies.js';
import { unstuff, type SinkMessage } from './sink-message.js';
import { testCertificate, testKey } from './test-certificate.js';

export interface SinkRules {
  faults: Partial<Record<EarlyStage, SinkFault>>;
  pipelining: boolean;
  smtpUtf8: boolean;
  startTls: 'offered' | 'required' | 'none';
  auth?: { user: string; pass: string };
  maxSize?: number;
  trickleMs: number;
}

export type SinkEnvelope = Pick<SinkMessage, 'from' | 'to' | 'mailParameters' | 'tls'>;

export interface SinkHost {
  rules: SinkRules;
  /** How often this fault was shown, across connections. */
  timesShown(key: string): number;
  /** Stores the message before the sink replies. */
  record(envelope: SinkEnvelope, raw: Buffer): void;
  whenReleased(answer: () => void): void;
}

const secureContext = createSecureContext({ key: testKey, cert: testCertificate });
const endOfBody = Buffer.from('\r\n.\r\n');
const empty = Buffer.alloc(0);

/** One client connection. */
export class SinkConnection {
  private input: Buffer = empty;
  private store: Buffer = empty;
  private mode: 'commands' | 'body' | 'deaf' = 'commands';
  private replies: SinkReplies;
  private from?: string;
  private to?: string;
  private mailParameters = '';
  private behaviour: SinkBehaviour = {};
  private secured: boolean;
  private authenticated = false;
  private scannedTo = 0;

  constructor(
    private socket: Socket,
    private readonly host: SinkHost,
  ) {
    this.replies = new SinkReplies(socket, host);
    this.secured = socket instanceof TLSSocket;
    this.listen();
    this.answer('connect', '220 sink.test ESMTP');
    this.replies.flush();
  }

  destroy(): void {
    this.socket.destroy();
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  private listen(): void {
    this.socket.setNoDelay(true);
    this.socket.on('data', (chunk: Buffer) => this.read(chunk));
    this.socket.on('error', () => this.socket.destroy());
  }

  private read(chunk: Buffer): void {
    if (this.mode === 'deaf') return;
    this.append(chunk);
    let progress = true;
    while (progress && this.input.length > 0)
      progress = this.isReadingBody() ? this.takeBody() : this.takeCommand();
    this.replies.flush();
  }

  /** The buffer doubles, so that a large body is not copied with every chunk. */
  private append(chunk: Buffer): void {
    const { input } = this;
    const length = input.length + chunk.length;
    if (input.length === 0) this.input = chunk;
    else {
      const inStore = input.buffer === this.store.buffer && input.byteOffset === this.store.byteOffset;
      if (!inStore || this.store.length < length) {
        this.store = Buffer.allocUnsafeSlow(length * 2);
        input.copy(this.store);
      }
      chunk.copy(this.store, input.length);
      this.input = this.store.subarray(0, length);
    }
  }

  private isReadingBody(): boolean {
    return this.mode === 'body';
  }

  private takeCommand(): boolean {
    const end = this.input.indexOf(10);
    if (end < 0 || this.mode === 'deaf') return false;
    const line = this.input.toString('latin1', 0, end).trimEnd();
    const rawLine = this.input.subarray(0, end);
    this.input = this.input.subarray(end + 1);
    this.command(line, rawLine);
    return true;
  }

  private command(line: string, rawLine: Buffer): void {
    const verb = line.split(' ', 1)[0].toUpperCase();
    if (verb === 'MAIL') this.mail(rawLine.toString('utf8'));
    else if (verb === 'RCPT') this.rcpt(rawLine.toString('utf8'));
    else if (verb === 'DATA') this.data();
    else if (verb === 'EHLO' || verb === 'HELO')
      this.answer('ehlo', verb === 'EHLO' ? this.extensions() : '250 sink.test');
    else if (verb === 'STARTTLS') this.startTls();
    else if (verb === 'AUTH') this.auth(line);
    else if (verb === 'RSET') this.reset();
    else if (verb === 'QUIT') this.quit();
    else this.replies.log(verb === 'NOOP' ? '250 2.0.0 Ok' : '502 5.5.2 what?');
  }

  private extensions(): string {
    const { pipelining, smtpUtf8, startTls, auth, maxSize } = this.host.rules;
    const lines = ['sink.test', '8BITMIME', 'ENHANCEDSTATUSCODES'];
    if (pipelining) lines.push('PIPELINING');
    if (smtpUtf8) lines.push('SMTPUTF8');
    if (startTls !== 'none' && !this.secured) lines.push('STARTTLS');
    if (auth !== undefined) lines.push('AUTH PLAIN');
    if (maxSize !== undefined) lines.push(`SIZE ${maxSize}`);
    return lines.map((each, index) => `250${index === lines.length - 1 ? ' ' : '-'}${each}`).join('\r\n');
  }

  private startTls(): void {
    if (!this.answer('starttls', '220 2.0.0 go ahead')) return;
    this.replies.flush();
    const plain = this.socket;
    plain.removeAllListeners('data');
    const fault = this.host.rules.faults.handshake;
    if (fault?.kind === 'hang') this.mode = 'deaf';
    else if (fault !== undefined) plain.destroy();
    else {
      this.socket = new TLSSocket(plain, { isServer: true, secureContext });
      this.replies = new SinkReplies(this.socket, this.host);
      this.secured = true;
      this.input = empty;
      this.listen();
    }
  }

  private auth(line: string): void {
    const { auth } = this.host.rules;
    const [, , token = ''] = line.split(' ');
    const [, user, pass] = Buffer.from(token, 'base64').toString('utf8').split('\0');
    this.authenticated = auth !== undefined && user === auth.user && pass === auth.pass;
    this.answer('auth', this.authenticated ? '235 2.7.0 welcome' : '535 5.7.8 who?');
  }

  private reset(): void {
    this.forget();
    this.answer('rset', '250 2.0.0 Ok');
  }

  private quit(): void {
    this.replies.log('221 2.0.0 bye');
    this.replies.flush();
    this.socket.end();
  }

  private mail(line: string): void {
    const { rules } = this.host;
    const from = addressIn(line);
    this.behaviour = behaviourOf(from);
    this.mailParameters = line.slice(line.indexOf('>') + 1).trim();
    if (rules.startTls === 'required' && !this.secured) this.replies.log('530 5.7.0 STARTTLS first');
    else if (rules.auth !== undefined && !this.authenticated) this.replies.log('530 5.7.0 AUTH first');
    else if (this.from !== undefined) this.replies.log('503 5.5.1 nested MAIL');
    else if (this.answer('mail', '250 2.1.0 Ok', from)) this.from = from;
  }

  private rcpt(line: string): void {
    const to = addressIn(line);
    this.behaviour = behaviourOf(to);
    if (this.from === undefined) this.replies.log('503 5.5.1 MAIL first');
    else if (this.answer('rcpt', '250 2.1.5 Ok', to)) this.to = to;
  }

  private data(): void {
    if (this.to === undefined) this.replies.log('554 5.5.1 no valid recipients');
    else if (this.answer('data', '354 go ahead')) this.mode = 'body';
  }

  private takeBody(): boolean {
    if (this.behaviour.body !== undefined && this.input.length > 0) {
      const early = this.faultAt('body', this.to);
      this.behaviour = { ...this.behaviour, body: undefined };
      if (early !== undefined && !this.show(early, '') && this.mode !== 'body') return false;
    }
    const end = this.input.indexOf(endOfBody, Math.max(0, this.scannedTo - endOfBody.length));
    const lone = this.input[0] === 0x2e && this.input[1] === 0x0d && this.input[2] === 0x0a;
    if (end < 0 && !lone) {
      this.scannedTo = this.input.length;
      return false;
    }
    const wire = lone ? empty : this.input.subarray(0, end + 2);
    this.input = this.input.subarray(lone ? 3 : end + endOfBody.length);
    this.mode = 'commands';
    this.endOfData(wire);
    return true;
  }

  private endOfData(wire: Buffer): void {
    const { from, to, mailParameters } = this;
    const refusal = this.faultAt('dot', to);
    this.forget();
    if (refusal !== undefined) this.show(refusal, '250 2.0.0 Ok');
    else {
      this.host.record({ from: from!, to: to!, mailParameters, tls: this.secured }, unstuff(wire));
      this.answer('accept', '250 2.0.0 Ok: queued', to);
    }
  }

  private forget(): void {
    this.from = undefined;
    this.to = undefined;
    this.scannedTo = 0;
  }

  /** Sends the expected reply or shows the fault; true for the expected reply. */
  private answer(stage: EarlyStage | LateStage, due: string, key?: string): boolean {
    const fault = this.faultAt(stage, key);
    if (fault !== undefined) return this.show(fault, due);
    this.replies.log(due);
    return true;
  }

  private show(fault: SinkFault, due: string): boolean {
    if (this.replies.show(fault, due) === 'silent') this.mode = 'deaf';
    return fault.kind === 'trickle' || fault.kind === 'late' || fault.kind === 'extra';
  }

  /** Called once each time the stage is reached, because faults are counted. */
  private faultAt(stage: EarlyStage | LateStage, key = this.to ?? ''): SinkFault | undefined {
    const fault = this.behaviour[stage as LateStage] ?? this.host.rules.faults[stage as EarlyStage];
    const spent = fault?.times !== undefined && this.host.timesShown(`${stage} ${key}`) >= fault.times;
    return spent ? undefined : fault;
  }
}

function addressIn(line: string): string {
  return /<([^>]*)>/.exec(line)?.[1] ?? '';
}
