import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startOtlpReceiver, type ReceivedSpan } from '@posthorn/dev';

const program = resolve('dist/apps/all-in-one/src/main.js');
const patienceMs = 30_000;
/** What comes last of all that one send brings about, in whatever order. */
const lastSteps = [/^hear contacts-recipients$/, /^hear analytics-daily-emails$/, /^hear analytics-daily-delivered$/];

export interface RecordedMails {
  /** The trace of each send, in the order of the sends. */
  traces: ReceivedSpan[][];
  /** All that the services wrote. */
  output: string;
}

export interface RecordOptions {
  /** Sent at once, to as many addresses. */
  count: number;
  /** What the start is given besides, such as `--services`. */
  words: readonly string[];
  environment?: Record<string, string>;
}

interface DevFile {
  baseUrl: string;
  secretKey: string;
}

/** Starts the product on servers of its own with every request recorded, sends, and waits until the traces are whole. */
export async function recordMails({ count, words, environment }: RecordOptions): Promise<RecordedMails> {
  const receiver = await startOtlpReceiver();
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-trace-'));
  // Postgres's own user has to reach what is in it.
  chmodSync(folder, 0o755);
  const product = new Product(folder, words, { ...recording(receiver.endpoint), ...environment });
  try {
    await product.started();
    const sent = await Promise.all(Array.from({ length: count }, (_, place) => product.send(`someone-${place}@example.com`)));
    const tracesNow = () => sent.map((id) => traceOf(receiver.spans, id));
    await until(() => tracesNow().every(isWhole), 'every step of the traces has arrived');
    await product.stop();
    return { traces: tracesNow(), output: product.output };
  } finally {
    await product.stop();
    await receiver.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const recording = (endpoint: string): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_TRACES_SAMPLER: 'parentbased_always_on',
});

/** `npm start` in a process of its own. */
class Product {
  output = '';
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;

  constructor(
    private readonly folder: string,
    words: readonly string[],
    environment: Record<string, string>,
  ) {
    const env = { ...process.env, PORT: '0', INBOX_PORT: '0', TRUSTED_PROXIES: '127.0.0.1', POSTHORN_DATA_DIR: folder, ...environment };
    this.child = spawn(process.execPath, [program, ...words], { env, stdio: 'pipe' });
    this.ended = once(this.child, 'exit');
    for (const stream of [this.child.stdout!, this.child.stderr!]) stream.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
  }

  async started(): Promise<void> {
    await until(() => this.output.includes('Ctrl-C stops everything') || this.child.exitCode !== null, 'the start');
    if (this.child.exitCode !== null) throw new Error(`the start ended: ${this.output}`);
  }

  /** Answers the id of the trace, which the client chose as a trusted proxy may. */
  async send(to: string): Promise<string> {
    const { baseUrl, secretKey } = JSON.parse(readFileSync(join(this.folder, 'dev.json'), 'utf8')) as DevFile;
    const traceId = crypto.randomUUID().replaceAll('-', '');
    const response = await fetch(`${baseUrl}/api/v1/emails`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secretKey}`,
        'content-type': 'application/json',
        traceparent: `00-${traceId}-${traceId.slice(0, 16)}-01`,
      },
      body: JSON.stringify({ from: 'hello@example.test', to, subject: 'A subject of our own', body: '<p>Hello</p>' }),
    });
    if (response.status !== 202) throw new Error(`the send was answered ${response.status}: ${await response.text()}`);
    return traceId;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) this.child.kill('SIGINT');
    await this.ended;
  }
}

function traceOf(spans: readonly ReceivedSpan[], traceId: string): ReceivedSpan[] {
  return spans.filter((span) => span.traceId === traceId);
}

function isWhole(spans: readonly ReceivedSpan[]): boolean {
  return lastSteps.every((step) => spans.some(({ name }) => step.test(name)));
}

async function until(done: () => boolean, what: string): Promise<void> {
  const end = performance.now() + patienceMs;
  while (!done()) {
    if (performance.now() > end) throw new Error(`it did not happen in ${patienceMs} ms: ${what}`);
    await new Promise((next) => setTimeout(next, 50));
  }
}
