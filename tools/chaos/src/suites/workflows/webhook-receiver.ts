import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Random } from '../../random.js';

export const paths = { step: '/step', events: '/events' } as const;

type Behaviour = 'fine' | 'fails' | 'hangs up' | 'hangs';

/** A call as it came. */
export interface ReceivedCall {
  /** Its `webhook-id`. */
  id: string;
  path: string;
  body: string;
  /** Null where no response was given. */
  status: number | null;
}

const behaviours: readonly { weight: number; does: Behaviour }[] = [
  { weight: 97_950, does: 'fine' },
  { weight: 1_500, does: 'fails' },
  { weight: 500, does: 'hangs up' },
  // For ten seconds nobody calls the endpoint then, so it must be rare.
  { weight: 50, does: 'hangs' },
];

/** What webhooks call: now and then it fails, hangs or hangs up, but never twice for one id, because the third attempt comes after minutes. */
export class WebhookReceiver {
  readonly calls: ReceivedCall[] = [];
  private readonly known = new Set<string>();
  private readonly server: Server;

  private constructor(private readonly seed: number) {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => this.take(request, response, Buffer.concat(chunks).toString('utf8')));
      // Whoever calls may be killed meanwhile.
      request.on('error', () => undefined);
    });
  }

  static async open(seed: number): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(seed);
    await once(receiver.server.listen(0, '127.0.0.1'), 'listening');
    return receiver;
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private take(request: IncomingMessage, response: ServerResponse, body: string): void {
    const id = String(request.headers['webhook-id']);
    const call: ReceivedCall = { id, path: request.url!, body, status: null };
    this.calls.push(call);
    const does = this.known.has(id) ? 'fine' : Random.named(`${this.seed} ${id}`).weighted(behaviours).does;
    this.known.add(id);
    if (does === 'hangs up') request.socket.destroy();
    else if (does !== 'hangs') {
      const status = does === 'fine' ? 200 : 500;
      response.on('finish', () => (call.status = status));
      response.writeHead(status).end(does);
    }
  }
}
