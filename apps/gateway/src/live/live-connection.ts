import { Readable } from 'node:stream';
import type { StreamReader } from '../routes/live-stream.js';

/** What a reader may leave unread for longer than a burst takes. */
export const maxUnread = 512 * 1024;
const burstMs = 5_000;
/** At any time; texts are shared by all readers of a channel. */
const mostUnread = 4 * 1024 * 1024;
const reconnectMs = 3_000;
/** A reader that takes nothing more does not keep its connection. */
const farewellMs = 30_000;

export type EndReason = 'slow_reader' | 'credential_ended' | 'interrupted' | 'closing';

/** One reader. */
export class LiveConnection {
  readonly readable: Readable;
  /** When it was last kept alive. */
  keptAt = performance.now();
  /** Where it is to resume: the position after what it was given last. */
  lastId: string;
  /** While older events are read for it; what happens meanwhile waits. */
  private held: { bytes: number; texts: { text: Buffer; id: string }[] } | null = null;
  private isEnded = false;
  private behindSince: number | null = null;

  constructor(
    readonly reader: StreamReader,
    id: string,
    onClose: () => void,
  ) {
    this.lastId = id;
    this.readable = new Readable({ read: () => undefined });
    this.readable.once('close', () => {
      this.isEnded = true;
      onClose();
    });
    this.write(Buffer.from(`retry: ${reconnectMs}\nid: ${id}\n: connected\n\n`), id);
  }

  get ended(): boolean {
    return this.isEnded;
  }

  get unread(): number {
    return this.readable.readableLength;
  }

  hold(): void {
    this.held = { bytes: 0, texts: [] };
  }

  /** What waited follows. */
  release(): void {
    const waiting = this.held?.texts ?? [];
    this.held = null;
    for (const { text, id } of waiting) this.write(text, id);
  }

  /** Of the channel: after what was read for this reader. */
  push(text: Buffer, id: string): void {
    if (!this.held) return this.write(text, id);
    this.held.bytes += text.length;
    if (this.held.bytes > mostUnread) this.end('slow_reader');
    else this.held.texts.push({ text, id });
  }

  write(text: Buffer, id: string): void {
    if (this.isEnded) return;
    if (this.unread > mostUnread) return this.end('slow_reader');
    this.readable.push(text);
    this.lastId = id;
  }

  /** Drops a reader that stays behind. */
  judge(now: number): void {
    this.behindSince = this.unread > maxUnread ? (this.behindSince ?? now) : null;
    if (this.behindSince !== null && now - this.behindSince > burstMs) this.end('slow_reader');
  }

  /** With a new id, so that a reader whose events are rare does not resume far back. */
  keepAlive(id: string): void {
    if (this.held) this.write(Buffer.from(': \n\n'), this.lastId);
    else this.write(Buffer.from(`: \nid: ${id}\n\n`), id);
  }

  end(reason: EndReason): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.held = null;
    this.readable.push(`id: ${this.lastId}\nevent: stream.ended\ndata: ${JSON.stringify({ reason })}\n\n`);
    this.readable.push(null);
    setTimeout(() => this.readable.destroy(), farewellMs).unref();
  }
}
