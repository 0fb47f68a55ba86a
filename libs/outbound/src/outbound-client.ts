import { performance } from 'node:perf_hooks';
import { Agent, errors, request, type Dispatcher } from 'undici';
import { checkedConnector, type CheckedConnector } from './checked-connector.js';
import { RefusedTarget, targetOf, type OutboundRefusal, type OutboundRules } from './outbound-url.js';

export type OutboundMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type OutboundBody = Buffer | string | null;

export interface OutboundRequest {
  url: string;
  method: OutboundMethod;
  /** Checked by `headerFault`. */
  headers: Readonly<Record<string, string>>;
  /** Of the body that is sent, so made again for each redirect; sent along to another origin, where those of the user but `content-type` stay behind. */
  ownHeaders(body: OutboundBody): Readonly<Record<string, string>>;
  body: OutboundBody;
  /** Over everything: name, connection, redirects and response. */
  timeoutMs: number;
  maxRedirects: number;
}

export type OutboundFault = 'timeout' | 'name' | 'connection' | 'tls' | 'protocol';

export type OutboundResult = { durationMs: number } & (
  | { kind: 'response'; status: number; body: string; retryAfter: string | null }
  | { kind: 'refused'; refusal: OutboundRefusal }
  | { kind: 'failed'; fault: OutboundFault; detail: string }
);

interface Exchange {
  url: URL;
  method: OutboundMethod;
  headers: Readonly<Record<string, string>>;
  body: OutboundBody;
}

export interface OutboundOptions {
  rules: OutboundRules;
  nameServers?: readonly string[];
  /** The rest of a response is not read. */
  maxResponseBytes?: number;
}

const connectTimeoutMs = 5_000;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const keepsMethod: ReadonlySet<number> = new Set([307, 308]);

/** Requests to addresses that users name (docs/guarantees.md, G19): what must not be reached is refused, and no response, however slow, large or wrong, takes more than its limits. */
export class OutboundClient {
  private readonly agent: Agent;
  private readonly connector: CheckedConnector;
  private readonly maxResponseBytes: number;

  constructor(private readonly options: OutboundOptions) {
    const { rules, nameServers, maxResponseBytes = 65_536 } = options;
    this.maxResponseBytes = maxResponseBytes;
    this.connector = checkedConnector({
      rules,
      ...(nameServers ? { nameServers } : {}),
      timeoutMs: connectTimeoutMs,
    });
    this.agent = new Agent({
      connect: this.connector.connector,
      // Connections to an origin have no limit: who sends limits requests, and those that hang must not keep others of the origin waiting. With HTTP/2, they would wait for the first.
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: 16_384,
    });
  }

  /** Never rejects: that a request fails is normal here. */
  async send(sent: OutboundRequest): Promise<OutboundResult> {
    const began = performance.now();
    const signal = AbortSignal.timeout(sent.timeoutMs);
    // A request that waits for its connection does not heed the signal.
    const outcome = await Promise.race([this.follow(sent, signal), endOf(signal)]).catch((error: unknown) =>
      failureOf(error, signal),
    );
    return { ...outcome, durationMs: Math.round(performance.now() - began) };
  }

  async close(): Promise<void> {
    await this.agent.destroy();
    this.connector.stop();
  }

  private async follow(sent: OutboundRequest, signal: AbortSignal): Promise<Untimed> {
    const { rules } = this.options;
    let exchange: Exchange = {
      url: targetOf(sent.url, rules),
      method: sent.method,
      headers: sent.headers,
      body: sent.body,
    };
    for (let followed = 0; ; followed += 1) {
      const response = await this.exchange(exchange, sent, signal);
      const location = redirects.has(response.statusCode) ? headerOf(response, 'location') : null;
      if (location === null || sent.maxRedirects === 0) return this.read(response);
      await response.body.dump({ limit: this.maxResponseBytes, signal });
      if (followed === sent.maxRedirects) throw new RefusedTarget('redirects');
      exchange = redirected(exchange, targetOf(location, rules, exchange.url), response.statusCode);
    }
  }

  private exchange(
    { url, method, headers: given, body }: Exchange,
    { ownHeaders }: OutboundRequest,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const headers = { ...given, ...ownHeaders(body) };
    return request(url, { dispatcher: this.agent, method, headers, body, signal });
  }

  private async read(response: Dispatcher.ResponseData): Promise<Untimed> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= this.maxResponseBytes) break;
    }
    const body = Buffer.concat(chunks).subarray(0, this.maxResponseBytes).toString('utf8');
    return {
      kind: 'response',
      status: response.statusCode,
      body,
      retryAfter: headerOf(response, 'retry-after'),
    };
  }
}

type Without<Result> = Result extends unknown ? Omit<Result, 'durationMs'> : never;
type Untimed = Without<OutboundResult>;

/** As fetch does it: 303, and 301 and 302 of a POST, become GET. What the user set stays with the origin for which it was meant. */
function redirected({ url: from, method, headers, body }: Exchange, url: URL, status: number): Exchange {
  const becomesGet = !keepsMethod.has(status) && (status === 303 || method === 'POST');
  const stays = url.origin === from.origin;
  const kept = Object.entries(headers).filter(([name]) =>
    name.toLowerCase() === 'content-type' ? !becomesGet : stays,
  );
  return {
    url,
    headers: Object.fromEntries(kept),
    ...(becomesGet ? { method: 'GET', body: null } : { method, body }),
  };
}

const endOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, end) =>
    signal.addEventListener('abort', () => end(signal.reason as Error), { once: true }),
  );

function headerOf({ headers }: Dispatcher.ResponseData, name: string): string | null {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

const nameFaults: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'ENODATA',
  'EAI_AGAIN',
  'ESERVFAIL',
  'ETIMEOUT',
  'EREFUSED',
  'EBADNAME',
]);
const protocolFaults: ReadonlySet<string> = new Set([
  'UND_ERR_HEADERS_OVERFLOW',
  'UND_ERR_RESPONSE',
  'UND_ERR_INVALID_ARG',
]);

function failureOf(error: unknown, signal: AbortSignal): Untimed {
  if (error instanceof RefusedTarget) return { kind: 'refused', refusal: error.refusal };
  const { code = '', message } = error as NodeJS.ErrnoException;
  return { kind: 'failed', fault: faultOf(error, code, signal), detail: message.slice(0, 300) };
}

function faultOf(error: unknown, code: string, signal: AbortSignal): OutboundFault {
  if (
    signal.aborted ||
    error instanceof errors.ConnectTimeoutError ||
    error instanceof errors.HeadersTimeoutError
  )
    return 'timeout';
  if (nameFaults.has(code)) return 'name';
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return 'tls';
  return error instanceof errors.HTTPParserError || protocolFaults.has(code) ? 'protocol' : 'connection';
}
