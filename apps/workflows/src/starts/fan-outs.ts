import { Injectable } from '@nestjs/common';
import { WorkQueue } from '@posthorn/work';
import { fanOutWork, maxStartedAtOnce, maxStartEntries, startWork, type Arrival } from './start-kinds.js';
import { StartsRepository, type Triggered } from './starts.repository.js';

/** Starts what events trigger: a few workflows at once, many by turns. Joins the ambient transaction, which stays small. */
@Injectable()
export class FanOuts {
  constructor(
    private readonly starts: StartsRepository,
    private readonly queue: WorkQueue,
  ) {}

  async begin(projectId: string, arrivals: readonly Arrival[]): Promise<void> {
    const triggered = await this.triggered(projectId, arrivals, maxStartedAtOnce + 1);
    if (triggered.length <= maxStartedAtOnce) return this.start(projectId, triggered, arrivals);
    const names = new Set(triggered.map(({ eventName }) => eventName));
    const isComplete = names.size === new Set(arrivals.map(({ name }) => name)).size;
    const waiting = isComplete ? arrivals.filter(({ name }) => names.has(name)) : arrivals;
    await this.queue.enqueue(fanOutWork, [{ projectId, payload: { arrivals: [...waiting] } }]);
  }

  triggered(
    projectId: string,
    arrivals: readonly Arrival[],
    limit: number,
    after?: string,
  ): Promise<Triggered[]> {
    const names = [...new Set(arrivals.map(({ name }) => name))];
    return this.starts.triggeredBy(projectId, names, limit, after);
  }

  async start(
    projectId: string,
    triggered: readonly Triggered[],
    arrivals: readonly Arrival[],
  ): Promise<void> {
    const byName = Map.groupBy(arrivals, ({ name }) => name);
    const batches = triggered.flatMap(({ id: workflowId, eventName }) => {
      const entries = byName.get(eventName)!.map(({ contactId, id, name, data, at, cause }) => ({
        contactId,
        event: { id, name, data, at, cause },
      }));
      const parts = [];
      for (let from = 0; from < entries.length; from += maxStartEntries)
        parts.push({
          projectId,
          payload: { workflowId, entries: entries.slice(from, from + maxStartEntries) },
        });
      return parts;
    });
    await this.queue.enqueue(startWork, batches);
  }
}
