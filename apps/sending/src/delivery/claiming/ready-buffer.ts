import { lanes, type Lane } from '../delivery-states.js';

interface Buffered {
  message: { projectId: string; lane: Lane };
}

export const bulkEvery = 10;

/** Composed messages that wait for a connection: transactional before bulk, and the projects of a lane in turns. */
export class ReadyBuffer<T extends Buffered> {
  private readonly queues: Record<Lane, Map<string, T[]>> = {
    [lanes.transactional]: new Map(),
    [lanes.bulk]: new Map(),
  };
  private count = 0;
  private sinceBulk = 0;

  get size(): number {
    return this.count;
  }

  projectsIn(lane: Lane): string[] {
    return [...this.queues[lane].keys()];
  }

  add(item: T): void {
    this.queueOf(item).push(item);
    this.count += 1;
  }

  putBack(items: readonly T[]): void {
    for (const item of items.toReversed()) this.queueOf(item).unshift(item);
    this.count += items.length;
  }

  take(wanted: number): T[] {
    const taken: T[] = [];
    while (taken.length < wanted && this.count > 0) taken.push(this.takeOne(this.nextLane()));
    return taken;
  }

  countIn(lane: Lane): number {
    return [...this.queues[lane].values()].reduce((sum, queue) => sum + queue.length, 0);
  }

  /** Every tenth message is bulk where both wait, so that a flood of transactional mail does not stop all campaigns. */
  private nextLane(): Lane {
    const [transactional, bulk] = [this.queues[lanes.transactional].size, this.queues[lanes.bulk].size];
    if (bulk === 0) return lanes.transactional;
    if (transactional > 0 && this.sinceBulk < bulkEvery - 1) {
      this.sinceBulk += 1;
      return lanes.transactional;
    }
    this.sinceBulk = 0;
    return lanes.bulk;
  }

  private takeOne(lane: Lane): T {
    const queues = this.queues[lane];
    const [projectId, queue] = queues.entries().next().value!;
    const item = queue.shift()!;
    queues.delete(projectId);
    if (queue.length > 0) queues.set(projectId, queue);
    this.count -= 1;
    return item;
  }

  private queueOf({ message: { projectId, lane } }: T): T[] {
    const queues = this.queues[lane];
    const queue = queues.get(projectId) ?? [];
    queues.set(projectId, queue);
    return queue;
  }
}
