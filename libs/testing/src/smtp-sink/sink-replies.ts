import type { Socket } from 'node:net';
import { reset } from '../reset.js';
import type { SinkFault } from './sink-behaviour.js';

interface Pace {
  rules: { trickleMs: number };
  whenReleased(answer: () => void): void;
}

/** Writes replies, correct or faulty. */
export class SinkReplies {
  private output = '';
  private trickled?: string;

  constructor(
    private readonly socket: Socket,
    private readonly pace: Pace,
  ) {}

  show(fault: SinkFault, due: string): 'silent' | 'goes on' {
    if (fault.kind === 'reply') this.log(fault.text);
    else if (fault.kind === 'bytes') this.write(fault.bytes);
    else if (fault.kind === 'senseless') this.log('banana');
    else if (fault.kind === 'extra') this.log(`${due}\r\n${fault.text}`);
    else if (fault.kind === 'late') this.answerLate(due, fault.ms);
    else if (fault.kind === 'trickle') this.trickle(`${due}\r\n`);
    else return this.stopReplying(fault.kind);
    return 'goes on';
  }

  private stopReplying(kind: 'hang' | 'drop' | 'reset' | 'unfinished'): 'silent' {
    this.flush();
    if (kind === 'drop') this.socket.end(() => this.socket.destroy());
    else if (kind === 'reset') reset(this.socket);
    else if (kind === 'unfinished') this.socket.end('550 5.1.1 no such us');
    return 'silent';
  }

  private write(bytes: Buffer): void {
    this.flush();
    if (!this.socket.destroyed) this.socket.write(bytes);
  }

  private answerLate(due: string, ms: number | undefined): void {
    const answer = (): void => {
      this.log(due);
      this.flush();
    };
    if (ms === undefined) this.pace.whenReleased(answer);
    else setTimeout(answer, ms);
  }

  /** Later replies are queued behind it, also when it is sent byte by byte. */
  private trickle(text: string): void {
    this.trickled = text;
    const timer = setInterval(() => {
      this.socket.write(this.trickled!.slice(0, 1));
      this.trickled = this.trickled!.slice(1) || undefined;
      if (this.trickled === undefined) clearInterval(timer);
    }, this.pace.rules.trickleMs);
    this.socket.once('close', () => clearInterval(timer));
  }

  log(text: string): void {
    if (this.trickled === undefined) this.output += `${text}\r\n`;
    else this.trickled += `${text}\r\n`;
  }

  flush(): void {
    if (this.output === '' || this.socket.destroyed) return;
    this.socket.write(this.output);
    this.output = '';
  }
}
