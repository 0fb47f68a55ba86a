import { createWriteStream, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from '@posthorn/contracts';
import { ServiceProcess, describeEnd } from '@posthorn/dev';

const restartAfterMs = 300;
const readyTries = 600;
const readyPauseMs = 100;
const hour = 3_600_000;
const graceMs = 30_000;
const clockSkew = fileURLToPath(new URL('faults/clock-skew.js', import.meta.url));

export type Member = `${ServiceName}-${number}`;

/** When a gateway was told to stop: what was asked before must still be answered. */
export interface Goodbye {
  gateway: number;
  at: number;
}

/** The services as processes of their own, brought back whenever one ends. */
export class ProcessGroup {
  readonly gateways: string[] = [];
  readonly unsubscribes: Goodbye[] = [];
  /** Members that did not leave with 0 when asked to. */
  readonly badExits: string[] = [];
  /** Members whose process ended although nobody had stopped or killed it. */
  readonly crashes: string[] = [];
  private readonly members = new Map<Member, ServiceProcess>();
  private readonly output: WriteStream;
  private readonly struck = new Set<Member>();
  private ending = false;

  constructor(
    directory: string,
    private readonly environment: Record<string, string>,
    /** By how many hours the clock of a member is wrong, each time that it starts. */
    private readonly skewHours: (member: string, incarnation: number) => number,
  ) {
    this.output = createWriteStream(join(directory, 'services.log'), { flags: 'a' });
  }

  async start(replicas: Partial<Record<ServiceName, number>>): Promise<void> {
    const wanted = (Object.entries(replicas) as [ServiceName, number][]).flatMap(([service, count]) =>
      Array.from({ length: count }, (_, index) => ({ service, member: `${service}-${index + 1}` as Member })),
    );
    await Promise.all(wanted.map(({ service, member }) => this.add(service, member)));
    this.gateways.push(...this.names('gateway').map((member) => this.members.get(member)!.url));
  }

  names(service: ServiceName): Member[] {
    return [...this.members.keys()].filter((member) => this.members.get(member)!.service === service).sort();
  }

  /** The member whose process has this id; Postgres shows it in `application_name`. */
  memberOf(pid: number): Member | undefined {
    return [...this.members].find(([, process]) => process.pid === pid)?.[0];
  }

  pidOf(member: Member): number | undefined {
    return this.members.get(member)?.pid;
  }

  signal(member: Member, signal: NodeJS.Signals): void {
    if (signal === 'SIGKILL') this.struck.add(member);
    this.members.get(member)!.kill(signal);
  }

  /** SIGTERM: it finishes what it has and leaves with 0. */
  async leave(member: Member): Promise<void> {
    const process = this.members.get(member)!;
    if (!process.isRunning) return;
    this.struck.add(member);
    const wasReady = await process.isReady();
    if (process.service === 'gateway')
      this.unsubscribes.push({ gateway: this.gateways.indexOf(process.url), at: performance.now() });
    const reportedAt = performance.now();
    const end = await process.stop(graceMs);
    // A kill of the fault before may only now have had its effect.
    const byEarlierKill = end.signal === 'SIGKILL' && performance.now() - reportedAt < graceMs;
    // Node itself ends a process that is still loading its modules.
    const whileLoading = end.signal === 'SIGTERM' && !wasReady;
    if (end.code !== 0 && !byEarlierKill && !whileLoading)
      this.badExits.push(`${member} ${describeEnd(end)}`);
  }

  async untilAllReady(except: ReadonlySet<Member> = new Set()): Promise<void> {
    const awaited = [...this.members.keys()].filter((member) => !except.has(member));
    await Promise.all(awaited.map((member) => this.untilReady(member)));
  }

  async stop(): Promise<void> {
    this.ending = true;
    await Promise.all([...this.members.values()].map((process) => (process.kill('SIGKILL'), process.ended)));
    this.output.end();
  }

  private async untilReady(member: Member): Promise<void> {
    const process = this.members.get(member)!;
    for (let tries = 0; tries < readyTries; tries += 1) {
      if (await process.isReady()) return;
      await delay(readyPauseMs);
    }
    throw new Error(`${member} does not become ready: ${process.recentOutput()}`);
  }

  private async add(service: ServiceName, member: Member): Promise<void> {
    const report = (line: string) => this.output.write(`${member} ${line}\n`);
    const environment = { ...process.env, ...this.environment, ...this.clock(member, 0) };
    const started = await ServiceProcess.start({ service, name: member, environment, report });
    this.members.set(member, started);
    void this.watch(started);
  }

  private async watch(process: ServiceProcess): Promise<void> {
    for (let incarnation = 1; !this.ending; incarnation += 1) {
      const end = await process.ended;
      if (!this.ending && !this.struck.delete(process.name as Member))
        this.crashes.push(`${process.name} ${describeEnd(end)}`);
      await delay(restartAfterMs);
      // A start may meet the next fault: then it is tried again.
      if (!this.ending) await process.restart(this.clock(process.name, incarnation)).catch(() => undefined);
    }
  }

  private clock(member: string, incarnation: number): Record<string, string> {
    return {
      NODE_OPTIONS: `--import=${clockSkew}`,
      CHAOS_CLOCK_SKEW_MS: String(this.skewHours(member, incarnation) * hour),
    };
  }
}
