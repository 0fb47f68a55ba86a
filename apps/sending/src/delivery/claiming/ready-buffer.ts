import { lanes, type Lane } from '../delivery.entity.js';

interface Buffered {
  message: { projectId: string; lane: Lane };
}

/** Composed messages that wait for a connection: transactional before bulk, and the projects of a lane in turns. */
export class ReadyBuffer<T extends Buffered> {
  private readonly queues: Record<Lane, Map<string, T[]>> = {
    [lanes.transactional]: new Map(),
    [lanes.bulk]: new Map(),
  };
  private count = 0;

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
    for (const queues of Object.values(this.queues)) {
      while (taken.length < wanted && queues.size > 0) this.takeTurn(queues, wanted - taken.length, taken);
    }
    this.count -= taken.length;
    return taken;
  }

  private takeTurn(queues: Map<string, T[]>, wanted: number, taken: T[]): void {
    for (const [projectId, queue] of [...queues].slice(0, wanted)) {
      taken.push(queue.shift()!);
      queues.delete(projectId);
      if (queue.length > 0) queues.set(projectId, queue);
    }
  }

  private queueOf({ message: { projectId, lane } }: T): T[] {
    const queues = this.queues[lane];
    const queue = queues.get(projectId) ?? [];
    queues.set(projectId, queue);
    return queue;
  }
}
