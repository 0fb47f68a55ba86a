import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Socket } from 'node:net';
import type { SmtpStage } from './smtp-attempt.js';

/** Private members of nodemailer, whose version is pinned; smtp-session.spec.ts fails if one changes. */
interface Internals {
  _responseActions: unknown[];
  _responseQueue: string[];
  _remainder: string;
  _supportedExtensions: string[];
  _socket: Socket | false | null;
  upgrading?: boolean;
  _sendCommand(command: string, logged?: string): void;
  _onConnect(): void;
}

const stageOfVerb: Record<string, SmtpStage> = {
  EHLO: 'ehlo',
  HELO: 'ehlo',
  STARTTLS: 'tls',
  AUTH: 'auth',
  RSET: 'mail',
  MAIL: 'mail',
  RCPT: 'rcpt',
  DATA: 'data',
};
const base = SMTPConnection.prototype as unknown as Internals;

/** Knows which command waits for its reply, also when commands are pipelined. */
export class StageTrackingConnection extends SMTPConnection {
  allowsCommand: (stage: SmtpStage) => boolean = () => true;
  onConnected: () => void = () => undefined;
  /** A header needs SMTPUTF8 although the envelope is ASCII, which nodemailer cannot know (RFC 6531 §3.4). */
  forceUtf8 = false;
  private readonly sent: SmtpStage[] = [];

  private get internals(): Internals {
    return this as unknown as Internals;
  }

  get socket(): Socket | undefined {
    return this.internals._socket || undefined;
  }

  get hasUnexpectedReply(): boolean {
    return this.internals._responseQueue.length > 0 || this.internals._remainder !== '';
  }

  supports(extension: string): boolean {
    return this.internals._supportedExtensions.includes(extension);
  }

  get waitingAt(): SmtpStage {
    const unanswered = this.internals._responseActions.length;
    if (unanswered > 0) return this.sent[this.sent.length - unanswered] ?? 'greeting';
    if (this.internals.upgrading) return 'tls';
    return this.sent.at(-1) ?? (this.stage === 'connected' ? 'greeting' : 'connect');
  }

  clearCommands(): void {
    this.sent.length = 0;
  }

  _sendCommand(command: string, logged?: string): void {
    const stage = stageOfVerb[command.slice(0, 8).split(' ', 1)[0]];
    if (stage === undefined || this.allowsCommand(stage)) {
      if (stage !== undefined) this.sent.push(stage);
      const utf8 =
        this.forceUtf8 &&
        stage === 'mail' &&
        command.startsWith('MAIL') &&
        !command.endsWith(' SMTPUTF8') &&
        !command.includes(' SMTPUTF8 ');
      base._sendCommand.call(this, utf8 ? `${command} SMTPUTF8` : command, logged);
    }
  }

  _onConnect(): void {
    base._onConnect.call(this);
    this.onConnected();
  }
}
