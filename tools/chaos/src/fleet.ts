import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ServiceName } from '@posthorn/contracts';
import { freePort, type Ground } from './ground.js';

const here = dirname(fileURLToPath(import.meta.url));
const dist = resolve(here, '../../..');
const restartAfterMs = 300;
const readyTries = 600;
const readyPauseMs = 100;
const hour = 3_600_000;
const graceMs = 30_000;

export type Member = `${ServiceName}-${number}`;

interface Running {
  service: ServiceName;
  environment: Record<string, string>;
  adminPort: number;
  child: ChildProcess;
  /** How its wall clock is wrong. */
  skewMs: number;
}

/** When a gateway was told to stop: what was asked before must still be answered. */
export interface Goodbye {
  gateway: number;
  at: number;
}

/** The services as processes of their own, brought back whenever one ends. */
export class Fleet {
  readonly gateways: string[] = [];
  readonly goodbyes: Goodbye[] = [];
  /** Members that did not leave with 0 when asked to. */
  readonly badExits: string[] = [];
  private readonly members = new Map<Member, Running>();
  private readonly output: WriteStream;
  private ending = false;

  constructor(
    private readonly ground: Ground,
    directory: string,
    private readonly environment: Record<string, string>,
  ) {
    this.output = createWriteStream(join(directory, 'services.log'));
  }

  /** `nextSkewHours` says by how many hours the next incarnation's clock is wrong. */
  async start(replicas: Partial<Record<ServiceName, number>>, nextSkewHours: () => number): Promise<void> {
    for (const [service, count] of Object.entries(replicas) as [ServiceName, number][]) {
      for (let replica = 1; replica <= count; replica += 1) await this.add(service, replica, nextSkewHours);
    }
    await Promise.all([...this.members.keys()].map((member) => this.untilReady(member)));
  }

  names(service: ServiceName): Member[] {
    return [...this.members.keys()].filter((member) => this.members.get(member)!.service === service);
  }

  /** The member whose process has this id; Postgres shows it in `application_name`. */
  memberOf(pid: number): Member | undefined {
    return [...this.members].find(([, { child }]) => child.pid === pid)?.[0];
  }

  signal(member: Member, signal: NodeJS.Signals): void {
    this.members.get(member)!.child.kill(signal);
  }

  /** SIGTERM: it finishes what it has and leaves with 0. */
  async leave(member: Member): Promise<void> {
    const { child, service } = this.members.get(member)!;
    if (child.exitCode !== null || child.signalCode !== null) return;
    if (service === 'gateway') this.goodbyes.push({ gateway: Number(member.split('-')[1]) - 1, at: performance.now() });
    const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
    child.kill('SIGTERM');
    const [code, signal] = await Promise.race([
      ended,
      delay(graceMs).then((): [null, string] => [null, `still there after ${graceMs} ms`]),
    ]);
    if (code !== 0) this.badExits.push(`${member} left with ${code ?? signal}`);
  }

  async untilReady(member: Member): Promise<void> {
    for (let tries = 0; tries < readyTries; tries += 1) {
      const { adminPort } = this.members.get(member)!;
      const ready = await fetch(`http://127.0.0.1:${adminPort}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (ready) return;
      await delay(readyPauseMs);
    }
    throw new Error(`${member} does not become ready`);
  }

  async untilAllReady(): Promise<void> {
    await Promise.all([...this.members.keys()].map((member) => this.untilReady(member)));
  }

  async stop(): Promise<void> {
    this.ending = true;
    const children = [...this.members.values()]
      .map(({ child }) => child)
      .filter(({ exitCode, signalCode }) => exitCode === null && !signalCode);
    await Promise.all(
      children.map(async (child) => {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }),
    );
    this.output.end();
  }

  private async add(service: ServiceName, replica: number, nextSkewHours: () => number): Promise<void> {
    const [port, adminPort] = [await freePort(), await freePort()];
    const environment = { ...this.environment, PORT: String(port), ADMIN_PORT: String(adminPort) };
    if (service === 'gateway') this.gateways.push(`http://127.0.0.1:${port}`);
    const launch = () => {
      const skewMs = nextSkewHours() * hour;
      const child = this.spawn(service, { ...environment, CHAOS_CLOCK_SKEW_MS: String(skewMs) });
      child.once('exit', () => {
        if (!this.ending) setTimeout(() => this.ending || launch(), restartAfterMs);
      });
      this.members.set(`${service}-${replica}`, { service, environment, adminPort, child, skewMs });
    };
    launch();
  }

  private spawn(service: ServiceName, environment: Record<string, string>): ChildProcess {
    const child = spawn(
      process.execPath,
      ['--import', pathToFileURL(join(here, 'clock-skew.js')).href, join(dist, `apps/${service}/src/main.js`)],
      {
        env: {
          ...process.env,
          ...environment,
          DATABASE_URL: this.ground.databaseUrl,
          NATS_URL: this.ground.natsUrl,
          SMTP_URL: this.ground.smtpUrl,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk: Buffer) => this.output.write(chunk));
    return child;
  }
}
