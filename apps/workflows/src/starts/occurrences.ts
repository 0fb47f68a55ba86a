import { Injectable } from '@nestjs/common';
import { WorkQueue } from '@posthorn/work';
import { executionWork } from '../executions/execution-kinds.js';
import type { Arrival } from './start-kinds.js';
import { WaitsRepository } from '../waits/waits.repository.js';
import { FanOuts } from './fan-outs.js';

/** What an event does to workflows: it starts those that it triggers, and ends waits for it. Joins the transaction of the inbox. */
@Injectable()
export class Occurrences {
  constructor(
    private readonly fanOuts: FanOuts,
    private readonly waits: WaitsRepository,
    private readonly queue: WorkQueue,
  ) {}

  async apply(projectId: string, arrivals: readonly Arrival[]): Promise<void> {
    if (arrivals.length === 0) return;
    const names = [...new Set(arrivals.map(({ name }) => name))];
    await this.fanOuts.begin(projectId, arrivals);
    await this.endWaits(projectId, names, arrivals);
  }

  private async endWaits(
    projectId: string,
    names: readonly string[],
    arrivals: readonly Arrival[],
  ): Promise<void> {
    const awaited = await this.waits.awaitedNames(projectId, names);
    const relevant = arrivals.filter(({ name }) => awaited.has(name));
    if (relevant.length === 0) return;
    await this.waits.lock(
      projectId,
      relevant.map(({ contactId, name }) => ({ contactId, eventName: name })),
    );
    const ended = await this.waits.arrive(projectId, relevant);
    await this.queue.enqueue(
      executionWork,
      ended.map((key) => ({ projectId, key })),
    );
  }
}
