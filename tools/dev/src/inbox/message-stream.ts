import type { ServerResponse } from 'node:http';

const heartbeatMs = 25_000;
/** A reader this far behind is cut off; its browser comes back and reads the list anew. */
const maxBuffered = 1024 * 1024;

/** Server-sent events for every open page. */
export class MessageStream {
  private readonly readers = new Set<ServerResponse>();
  private readonly heartbeat = setInterval(() => this.write(': still here\n\n'), heartbeatMs).unref();

  follow(response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write('retry: 1000\n\n');
    this.readers.add(response);
    response.once('close', () => this.readers.delete(response));
  }

  send(event: 'message' | 'cleared', data: unknown): void {
    this.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  stop(): void {
    clearInterval(this.heartbeat);
    for (const reader of this.readers) reader.end();
  }

  private write(text: string): void {
    for (const reader of this.readers) {
      if (reader.writableLength > maxBuffered) reader.destroy();
      else reader.write(text);
    }
  }
}
