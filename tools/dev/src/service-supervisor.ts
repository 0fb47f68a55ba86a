import { setTimeout as delay } from 'node:timers/promises';
import type { Report } from './dev-server-error.js';
import { describeEnd } from './process-end.js';
import { RestartPauses } from './restart-pauses.js';
import { ServiceProcess, type ServiceProcessOptions } from './service-process.js';

export interface SupervisorOptions {
  report: Report;
  /** Called whenever a process was started, with all that there are. */
  onStart?: (processes: readonly ServiceProcess[]) => void;
}

/** Keeps service processes running: starts again what crashed, and says so. */
export class ServiceSupervisor {
  private readonly processes: ServiceProcess[] = [];
  private readonly watches: Promise<void>[] = [];
  private readonly stopping = new AbortController();

  constructor(private readonly options: SupervisorOptions) {}

  /** All at once. A process that does not come up the first time is a mistake that no restart fixes: it is thrown. */
  async start(wanted: readonly ServiceProcessOptions[]): Promise<ServiceProcess[]> {
    const settled = await Promise.allSettled(wanted.map((options) => ServiceProcess.start(options)));
    const started = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    this.processes.push(...started);
    this.options.onStart?.(this.processes);
    for (const process of started) this.watches.push(this.watch(process));
    const failed = settled.find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
    return started;
  }

  /** The gateways first, so that nothing is taken that nobody would answer; each drains. */
  async stop(): Promise<void> {
    this.stopping.abort();
    const [gateways, after] = [
      this.processes.filter(isGateway),
      this.processes.filter((process) => !isGateway(process)),
    ];
    for (const group of [gateways, after]) await Promise.all(group.map((process) => process.stop()));
    await Promise.all(this.watches);
  }

  private async watch(process: ServiceProcess): Promise<void> {
    for (const pauses = new RestartPauses(); ;) {
      const since = performance.now();
      const end = await process.ended;
      if (this.stopping.signal.aborted) return;
      const pauseMs = pauses.after(performance.now() - since);
      this.options.report(`${process.name} ${describeEnd(end)}: it starts again in ${pauseMs / 1_000} s`);
      await delay(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      if (this.stopping.signal.aborted) return;
      await this.startAgain(process);
      if (this.stopping.signal.aborted) return void (await process.stop());
    }
  }

  private async startAgain(process: ServiceProcess): Promise<void> {
    await process.restart().then(
      () => {
        this.options.onStart?.(this.processes);
        this.options.report(`${process.name} is back`);
      },
      (error: Error) => this.stopping.signal.aborted || this.options.report(error.message),
    );
  }
}

const isGateway = ({ service }: ServiceProcess): boolean => service === 'gateway';
