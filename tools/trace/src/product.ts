import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const program = resolve('dist/apps/all-in-one/src/main.js');
// A start takes three seconds, and half a minute beside other suites on a slow machine.
const timeoutMs = 120_000;

interface DevFile {
  baseUrl: string;
  secretKey: string;
  user: { password: string };
}

/** `npm start` in a process of its own, on an empty data directory. */
export class Product {
  output = '';
  private readonly folder = mkdtempSync(join(tmpdir(), 'posthorn-trace-'));
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;

  private constructor(texts: readonly string[], environment: Record<string, string>) {
    // Postgres's own user has to reach what is in it.
    chmodSync(this.folder, 0o755);
    const own = {
      PORT: '0',
      INBOX_PORT: '0',
      TRUSTED_PROXIES: '127.0.0.1',
      ANSWER_WITHIN_MS: '8000',
      POSTHORN_DATA_DIR: this.folder,
    };
    this.child = spawn(process.execPath, [program, ...texts], {
      env: { ...process.env, ...own, ...environment },
      stdio: 'pipe',
    });
    this.ended = once(this.child, 'exit');
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
  }

  static async start(texts: readonly string[], environment: Record<string, string> = {}): Promise<Product> {
    const product = new Product(texts, environment);
    try {
      await until(
        () => product.output.includes('Ctrl-C stops everything') || product.child.exitCode !== null,
        'the start',
      );
      if (product.child.exitCode !== null) throw new Error(`the start ended: ${product.output}`);
      return product;
    } catch (error) {
      await product.stop();
      throw error;
    }
  }

  /** The admin port of each process, by its name; where the services are processes of their own. */
  get adminPorts(): { name: string; adminPort: number }[] {
    return this.read('processes.json');
  }

  get secrets(): string[] {
    const { secretKey, user } = this.read<DevFile>('dev.json');
    return [secretKey, user.password, readFileSync(join(this.folder, 'secret.key'), 'utf8').trim()];
  }

  /** Returns the id of the trace, which the client chose as a trusted proxy may. */
  async send(to: string): Promise<string> {
    const { baseUrl, secretKey } = this.read<DevFile>('dev.json');
    const traceId = crypto.randomUUID().replaceAll('-', '');
    const response = await fetch(`${baseUrl}/api/v1/emails`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secretKey}`,
        'content-type': 'application/json',
        traceparent: `00-${traceId}-${traceId.slice(0, 16)}-01`,
      },
      body: JSON.stringify({
        from: 'hello@example.test',
        to,
        subject: 'A subject of our own',
        body: '<p>Hello</p>',
      }),
    });
    if (response.status !== 202)
      throw new Error(`the send was answered ${response.status}: ${await response.text()}`);
    return traceId;
  }

  /** Ends everything, and removes what it has written. */
  async stop(): Promise<void> {
    if (this.child.exitCode === null) this.child.kill('SIGINT');
    await this.ended;
    rmSync(this.folder, { recursive: true, force: true });
  }

  private read<Content>(name: string): Content {
    return JSON.parse(readFileSync(join(this.folder, name), 'utf8')) as Content;
  }
}

/** Asks until it is so. */
export async function until(done: () => boolean, what: string): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!done()) {
    if (performance.now() > end) throw new Error(`it did not happen in ${timeoutMs} ms: ${what}`);
    await new Promise((next) => setTimeout(next, 50));
  }
}
