import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '@posthorn/contracts';
import { DevServerError, type Report } from './dev-server-error.js';
import { chooseQuietPort } from './free-port.js';
import { describeEnd, type ProcessEnd } from './process-end.js';
import { serviceProgram } from './service-programs.js';

export interface ServiceProcessOptions {
  service: ServiceName;
  /** The whole environment of the process, but for PORT and ADMIN_PORT. */
  environment: Record<string, string | undefined>;
  /** Tells replicas apart in what is said; the service's name unless given. */
  name?: string;
  /** Of the gateway; any free one unless given. */
  port?: number;
  /**
   * A session of its own, unless false: Ctrl-C reaches only who started it, and that one stops in order. The kernel also shares the
   * processor out by sessions, so a bench that compares keeps all in its own.
   */
  detached?: boolean;
  /** Takes every line that the process writes. */
  report?: Report;
}

/** As deploy/start-service.sh starts it. */
const asDeployed = ['--max-semi-space-size=8', '--max-old-space-size-percentage=70'];
const launchAttempts = 3;
/** Longer than a service waits for its servers. */
const readyWithinMs = 90_000;
const checkEveryMs = 20;
const answerWithinMs = 2_000;
const retainedLines = 50;
/** Above the longest wait for the answer to a message (SMTP_DOT_TIMEOUT): a stop never cuts off a hand-off. */
const timeoutMs = 630_000;

/** One service as a process of its own, as a container runs it. It ends by itself when the process that started it is gone. */
export class ServiceProcess {
  readonly service: ServiceName;
  readonly name: string;
  port = 0;
  adminPort = 0;
  /** Settles when the process that runs now has ended, for whatever reason. */
  ended!: Promise<ProcessEnd>;
  private child!: ChildProcess;
  private lines: string[] = [];
  private environment: Record<string, string | undefined>;

  private constructor(private readonly options: ServiceProcessOptions) {
    this.service = options.service;
    this.name = options.name ?? options.service;
    this.environment = options.environment;
  }

  /** Waits until it is ready. Throws what the process had to say when it ends before that. */
  static async start(options: ServiceProcessOptions): Promise<ServiceProcess> {
    const process = new ServiceProcess(options);
    await process.launchOnFreePorts(1);
    return process;
  }

  get pid(): number {
    return this.child.pid as number;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get adminUrl(): string {
    return `http://127.0.0.1:${this.adminPort}`;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  recentOutput(): string {
    return this.lines.join('\n');
  }

  kill(signal: NodeJS.Signals): void {
    if (this.isRunning) this.child.kill(signal);
  }

  /** Once more on the same ports, with these changes to its environment; waits until it is ready. */
  async restart(changes: Record<string, string> = {}): Promise<void> {
    await this.stop();
    this.environment = { ...this.environment, ...changes };
    await this.launch();
  }

  /** SIGTERM, and patience while it drains. */
  async stop(withinMs = timeoutMs): Promise<ProcessEnd> {
    const insist = setTimeout(() => this.kill('SIGKILL'), withinMs);
    this.kill('SIGTERM');
    const end = await this.ended;
    clearTimeout(insist);
    return end;
  }

  async isReady(): Promise<boolean> {
    return fetch(`${this.adminUrl}/readyz`, { signal: AbortSignal.timeout(answerWithinMs) }).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  private async launchOnFreePorts(attempt: number): Promise<void> {
    this.port = this.options.port || (await chooseQuietPort());
    this.adminPort = await chooseQuietPort();
    const taken = (port: number) => this.recentOutput().includes(`port ${port} is in use`);
    await this.launch().catch((error: unknown) => {
      const wasOurChoice = taken(this.adminPort) || (!this.options.port && taken(this.port));
      if (!wasOurChoice || attempt === launchAttempts) throw error;
      return this.launchOnFreePorts(attempt + 1);
    });
  }

  private async launch(): Promise<void> {
    this.lines = [];
    const ports = { PORT: String(this.port), ADMIN_PORT: String(this.adminPort) };
    // The channel tells it when we are gone.
    const child = spawn(process.execPath, [...asDeployed, serviceProgram(this.service)], {
      detached: this.options.detached ?? true,
      env: { ...this.environment, ...ports },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.child = child;
    this.ended = new Promise((resolve) => {
      const end = (code: number | null, signal: NodeJS.Signals | null) => resolve({ code, signal });
      child.once('error', () => end(null, null)).once('close', end);
    });
    for (const input of [child.stdout!, child.stderr!])
      createInterface({ input }).on('line', (line) => this.listen(line));
    await this.untilReady();
  }

  private listen(line: string): void {
    this.lines.push(line);
    if (this.lines.length > retainedLines) this.lines.shift();
    this.options.report?.(line);
  }

  /** Where each line was already shown, they are not repeated. */
  private lastOutput(end: ProcessEnd): string {
    if (this.lines.length === 0) return describeEnd(end);
    return this.options.report ? 'what it said stands above' : this.recentOutput();
  }

  private async untilReady(): Promise<void> {
    let end: ProcessEnd | null = null;
    void this.ended.then((how) => (end = how));
    const deadline = performance.now() + readyWithinMs;
    while (!(await this.isReady())) {
      if (end) throw new DevServerError(`${this.name} did not start: ${this.lastOutput(end)}`);
      if (performance.now() > deadline) {
        this.kill('SIGKILL');
        throw new DevServerError(
          `${this.name} was not ready within ${readyWithinMs / 1_000} s: ${this.lastOutput(await this.ended)}`,
        );
      }
      await Promise.race([delay(checkEveryMs), this.ended]);
    }
  }
}
