import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError, type ServiceName } from '@posthorn/contracts';
import { isDatabaseAway } from '@posthorn/database';
import { errors as natsErrors } from '@nats-io/transport-node';
import { beginOutage, endOutage, type Outage } from './outage.js';

const probeEveryMs = 500;
/** 57014: only that statement took too long. */
const statementCancelled = '57014';

const contexts = new AsyncLocalStorage<ServiceContext>();

export const currentService = (): ServiceContext | undefined => contexts.getStore();

/** Several services may share a process, and its logger. */
export function runAsService<T>(name: ServiceName, work: () => T): T {
  return contexts.run(new ServiceContext(name), work);
}

export class ServiceContext {
  private database: { server: string; probe: () => Promise<unknown> } | null = null;
  private probing: Promise<void> | null = null;
  private busOutage: Outage | null = null;

  constructor(readonly name: ServiceName) {}

  watchDatabase(url: string, probe: () => Promise<unknown>): void {
    this.database = { server: `Postgres at ${new URL(url).host}`, probe };
  }

  busLost(server: string): void {
    this.busOutage = beginOutage(server, this, 'the connection is lost');
  }

  endBusOutage(server: string): void {
    this.busOutage = null;
    endOutage(server, this);
  }

  /** Returns whether it failed because a server is away, which is logged as such. */
  noteFailure(error: unknown): boolean {
    if (isConnectionLost(error)) return this.databaseFailed(error as Error);
    return isBusFailure(error) && this.busFailed(error as Error);
  }

  close(): void {
    if (this.database) endOutage(this.database.server, this);
    this.database = null;
  }

  private databaseFailed({ message }: Error): boolean {
    if (!this.database) return false;
    beginOutage(this.database.server, this, message);
    this.probeAfter(probeEveryMs);
    return true;
  }

  private busFailed(error: Error): boolean {
    this.busOutage?.explain(error.message);
    // The other service may lack a server which this one needs as well, but has not needed meanwhile.
    if (!this.busOutage && error instanceof DomainError) this.probeAfter(0);
    return this.busOutage !== null;
  }

  private probeAfter(delayMs: number): void {
    this.probing ??= this.probe(delayMs)
      .then(() => delay(probeEveryMs, undefined, { ref: false }))
      .finally(() => (this.probing = null));
  }

  private async probe(delayMs: number): Promise<void> {
    await delay(delayMs, undefined, { ref: false });
    while (this.database) {
      const { server, probe } = this.database;
      try {
        await probe();
        return endOutage(server, this);
      } catch (error) {
        if (!isConnectionLost(error)) return endOutage(server, this);
        beginOutage(server, this, (error as Error).message);
      }
      await delay(probeEveryMs, undefined, { ref: false });
    }
  }
}

const isConnectionLost = (error: unknown): boolean =>
  isDatabaseAway(error) && (error as { code?: string }).code !== statementCancelled;

const isBusFailure = (error: unknown): boolean =>
  error instanceof DomainError
    ? error.kind === 'unavailable' || error.kind === 'timeout'
    : Object.values(natsErrors).some((kind) => error instanceof kind);
