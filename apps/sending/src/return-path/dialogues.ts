import type { Socket } from 'node:net';
import type { SMTPServerSession } from 'smtp-server';
import { plainAddress } from './connection-limits.js';

export interface DialogueTimes {
  /** From the greeting, or the last message, to the next one. */
  betweenMs: number;
  messageMs: number;
  /** Of a whole session, however many messages it brings. */
  sessionMs: number;
}

/** Ends the dialogues in which no message comes, or one that does not end: every command of a client begins the idle time of its connection again. */
export class Dialogues {
  private readonly open = new Map<string, { socket: Socket; timer: NodeJS.Timeout }>();

  constructor(private readonly times: DialogueTimes) {}

  /** The client is not the peer of the socket where a balancer speaks for it. */
  begin(socket: Socket, client: Pick<Socket, 'remoteAddress' | 'remotePort'>): void {
    const key = keyOf(client);
    const ends = setTimeout(() => socket.destroy(), this.times.sessionMs).unref();
    this.open.set(key, { socket, timer: this.limit(socket, this.times.betweenMs) });
    socket.once('close', () => {
      clearTimeout(ends);
      clearTimeout(this.open.get(key)?.timer);
      this.open.delete(key);
    });
  }

  messageBegins(session: SMTPServerSession): void {
    this.renew(session, this.times.messageMs);
  }

  messageIsTaken(session: SMTPServerSession): void {
    this.renew(session, this.times.betweenMs);
  }

  end(session: SMTPServerSession): void {
    this.open.get(keyOf(session))?.socket.destroy();
  }

  private renew(session: SMTPServerSession, ms: number): void {
    const dialogue = this.open.get(keyOf(session));
    if (!dialogue) return;
    clearTimeout(dialogue.timer);
    dialogue.timer = this.limit(dialogue.socket, ms);
  }

  private limit(socket: Socket, ms: number): NodeJS.Timeout {
    return setTimeout(() => socket.destroy(), ms).unref();
  }
}

const keyOf = ({
  remoteAddress = '',
  remotePort = 0,
}: Pick<Socket, 'remoteAddress' | 'remotePort'>): string => `${plainAddress(remoteAddress)} ${remotePort}`;
