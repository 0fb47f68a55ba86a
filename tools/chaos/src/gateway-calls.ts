import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';

const timeoutMs = 15_000;

/** What one call heard, or that it heard nothing. */
export interface Received {
  /** Monotonic milliseconds of the run. */
  beganAt: number;
  endedAt: number;
  status: number | null;
  /** The socket's error where there was no answer. */
  error: string | null;
  body: string | null;
  /** Whether the answer said when to come again. */
  retryAfter: boolean;
}

/** Calls of one project's key to any of the gateways, each of which may be gone at any moment. */
export class GatewayCalls {
  private readonly agents: Agent[];

  constructor(
    readonly gateways: readonly string[],
    private readonly token: string,
  ) {
    this.agents = gateways.map(() => new Agent({ keepAlive: true, maxSockets: 32 }));
  }

  request(
    gateway: number,
    method: string,
    path: string,
    body: string,
    headers: Record<string, string> = {},
  ): Promise<Received> {
    const beganAt = performance.now();
    const end = (
      status: number | null,
      error: string | null,
      answer: string | null,
      retryAfter = false,
    ): Received => ({
      beganAt,
      endedAt: performance.now(),
      status,
      error,
      body: answer,
      retryAfter,
    });
    return new Promise((resolve) => {
      const requested = request(`${this.gateways[gateway]}${path}`, {
        method,
        agent: this.agents[gateway],
        timeout: timeoutMs,
        headers: {
          authorization: `Bearer ${this.token}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...headers,
        },
      });
      requested.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () =>
          resolve(end(response.statusCode!, null, text, response.headers['retry-after'] !== undefined)),
        );
        response.on('error', (error: NodeJS.ErrnoException) =>
          resolve(end(null, error.code ?? error.message, null)),
        );
      });
      requested.on('timeout', () => requested.destroy(new Error('no answer')));
      requested.on('error', (error: NodeJS.ErrnoException) =>
        resolve(end(null, error.code ?? error.message, null)),
      );
      requested.end(body);
    });
  }

  close(): void {
    for (const agent of this.agents) agent.destroy();
  }
}
