import { StreamedEvent, type WebhookEventType } from '@posthorn/contracts';
import { dialects } from '../dialects/dialects.js';
import type { Surface } from '../routes/route-request.js';
import type { LiveConnection } from './live-connection.js';

/** Several events are one write to each socket: the more sockets there are, the longer events are gathered. */
const flush = { leastMs: 20, mostMs: 250, readersPerMs: 4 };
const maxPending = 256 * 1024;

/** The readers of a project who get the same: events are written once for all of them. */
export class LiveChannel {
  readonly connections = new Set<LiveConnection>();
  private pending = '';
  private pendingId = '';
  private timer: NodeJS.Timeout | null = null;

  constructor(
    readonly surface: Surface,
    private readonly types: ReadonlySet<WebhookEventType> | null,
  ) {}

  wants(type: WebhookEventType): boolean {
    return this.types?.has(type) ?? true;
  }

  add(text: string, id: string): void {
    this.pending += text;
    this.pendingId = id;
    if (this.pending.length > maxPending) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), this.gatherMs);
  }

  private get gatherMs(): number {
    return Math.min(flush.mostMs, flush.leastMs + this.connections.size / flush.readersPerMs);
  }

  flush(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (!this.pending) return;
    const text = Buffer.from(this.pending);
    this.pending = '';
    for (const connection of this.connections) connection.push(text, this.pendingId);
  }
}

export function textOf(surface: Surface, event: StreamedEvent, id: string): string {
  const data = JSON.stringify(dialects[surface].bare(StreamedEvent, event));
  return `id: ${id}\nevent: ${event.type}\ndata: ${data}\n\n`;
}
