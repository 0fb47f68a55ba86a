import { isLockTimeout } from '@posthorn/database';
import { Gatherer, type GathererOptions } from '@posthorn/messaging';

interface LanesOptions<In, Out> extends Pick<GathererOptions<In, Out>, 'maxItems' | 'maxBytes' | 'sizeOf'> {
  /** Waits for each lock as long as `patience` says, and answers with the error of that what it was not to be had for. */
  flush: (items: In[], timeouts: string) => Promise<(Out | Error)[]>;
}

/** Far longer than a commit of others takes, and short for whoever waits behind. */
const timeoutTogether = '200ms';
/** About as long as anybody waits for the answer: whoever asked hears that nothing happened. */
const timeoutAlone = '1500ms';

/**
 * What all projects write goes together, one batch at a time: twice as many rows in a commit cost less than two commits at once (as for accepts). A
 * batch that somebody's lock holds up is given up soon, and each of its projects goes on by itself, until nothing of it waits any more: the one
 * whose row is held keeps nobody else.
 */
export class ProjectLanes<In extends { projectId: string }, Out> {
  private readonly together: Gatherer<In, Out>;
  private readonly apart = new Map<string, { gatherer: Gatherer<In, Out>; waiting: number }>();

  constructor(private readonly options: LanesOptions<In, Out>) {
    this.together = this.gatherer(timeoutTogether);
  }

  async submit(item: In): Promise<Out> {
    if (!this.apart.has(item.projectId)) {
      try {
        return await this.together.submit(item);
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
      }
    }
    return this.submitApart(item);
  }

  private async submitApart(item: In): Promise<Out> {
    const { projectId } = item;
    const lane = this.apart.get(projectId) ?? { gatherer: this.gatherer(timeoutAlone), waiting: 0 };
    this.apart.set(projectId, lane);
    lane.waiting += 1;
    try {
      return await lane.gatherer.submit(item);
    } finally {
      lane.waiting -= 1;
      if (lane.waiting === 0) this.apart.delete(projectId);
    }
  }

  private gatherer(timeouts: string): Gatherer<In, Out> {
    const { flush, ...bounds } = this.options;
    return new Gatherer({ ...bounds, flush: (items) => flush(items, timeouts), inFlight: 1 });
  }
}
