import { setTimeout as delay } from 'node:timers/promises';
import { DevServerError, type Report } from './dev-server-error.js';
import { describeEnd, type ProcessEnd } from './process-end.js';
import { RestartPauses } from './restart-pauses.js';

export interface EmbeddedServer {
  url: string;
  port: number;
  pid: number;
  /** Settles when the process has ended, for whatever reason. */
  ended: Promise<ProcessEnd>;
  /** The last error that it wrote to its log, if any. */
  lastError(): string | undefined;
  stop(): Promise<void>;
}

export interface SupervisedServerOptions {
  name: string;
  /** Starts it on its data; every start after the first gets the port of the first. */
  start: (port?: number) => Promise<EmbeddedServer>;
  report: Report;
  onRestart?: () => void;
}

interface Run {
  forMs: number;
  end: string;
}

const maxCrashes = 5;

/** Keeps an embedded server running: starts again what crashed, and gives up after several crashes in a row. */
export class SupervisedServer {
  /** Rejects when the server is given up. */
  readonly failed: Promise<never>;
  private readonly pauses = new RestartPauses();
  private readonly stopping = new AbortController();
  private readonly watching: Promise<void>;
  private giveUp!: (error: Error) => void;

  private constructor(
    private readonly options: SupervisedServerOptions,
    private server: EmbeddedServer,
  ) {
    this.failed = new Promise((_, reject) => (this.giveUp = reject));
    this.failed.catch(() => undefined);
    this.watching = this.watch();
  }

  /** A server that does not start the first time is a mistake that no restart fixes: it is thrown. */
  static async start(options: SupervisedServerOptions): Promise<SupervisedServer> {
    return new SupervisedServer(options, await options.start());
  }

  get name(): string {
    return this.options.name;
  }

  get url(): string {
    return this.server.url;
  }

  get pid(): number {
    return this.server.pid;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.server.stop();
    await this.watching;
  }

  private async watch(): Promise<void> {
    const { name, report } = this.options;
    for (let run = await this.untilEnded(); !this.isStopping; run = await this.startAgain()) {
      const pauseMs = this.pauses.after(run.forMs);
      if (this.pauses.crashes === maxCrashes) return this.giveUp(this.hopeless(run));
      report(`${name} ${run.end}: it starts again in ${pauseMs / 1_000} s`);
      await delay(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      if (this.isStopping) return;
    }
  }

  private async startAgain(): Promise<Run> {
    try {
      this.server = await this.options.start(this.server.port);
    } catch (error) {
      return { forMs: 0, end: `did not start (${(error as Error).message})` };
    }
    if (this.isStopping) {
      await this.server.stop();
    } else {
      this.options.onRestart?.();
      this.options.report(`${this.name} is back`);
    }
    return this.untilEnded();
  }

  private async untilEnded(): Promise<Run> {
    const since = performance.now();
    const end = await this.server.ended;
    // A server that was killed has nothing to say about it.
    const reason = end.signal === null ? this.server.lastError() : undefined;
    const text = describeEnd(end);
    return { forMs: performance.now() - since, end: reason ? `${text} (${reason})` : text };
  }

  private hopeless({ end }: Run): DevServerError {
    return new DevServerError(
      `${this.name} ${end}, the ${maxCrashes}th time in a row: Posthorn stops. Accepted e-mails are kept on disk; remove the cause and start again.`,
    );
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }
}
