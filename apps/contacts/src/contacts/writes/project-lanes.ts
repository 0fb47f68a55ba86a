import { isLockTimeout } from '@posthorn/database';
import { Gatherer, type GathererOptions } from '@posthorn/messaging';

interface LanesOptions<In, Out> extends Pick<GathererOptions<In, Out>, 'maxItems' | 'maxBytes' | 'sizeOf'> {
  /** Waits for each lock no longer than `timeout`, and returns the lock timeout for each item that needed it. */
  flush: (items: In[], timeout: string) => Promise<(Out | Error)[]>;
}

/** Far longer than a commit takes, but short for the items behind it. */
const timeoutTogether = '200ms';
/** Within the deadline of the call, so that the caller hears that nothing happened. */
const timeoutAlone = '1500ms';
/** Callers that go on at once then share one commit instead of several. */
const restMs = 3;

// All projects share a batch, because twice as many rows in a commit cost less than two commits. After one
// meets a locked row, each of its projects has its own lane until that is empty, so that others are not
// delayed.
export class ProjectLanes<In extends { projectId: string }, Out> {
  private readonly together: Gatherer<In, Out>;
  private readonly separate = new Map<string, { gatherer: Gatherer<In, Out>; waiting: number }>();

  constructor(private readonly options: LanesOptions<In, Out>) {
    this.together = this.gatherer(timeoutTogether);
  }

  async submit(item: In): Promise<Out> {
    if (!this.separate.has(item.projectId)) {
      try {
        return await this.together.submit(item);
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
      }
    }
    return this.submitSeparately(item);
  }

  private async submitSeparately(item: In): Promise<Out> {
    const { projectId } = item;
    const lane = this.separate.get(projectId) ?? { gatherer: this.gatherer(timeoutAlone), waiting: 0 };
    this.separate.set(projectId, lane);
    lane.waiting += 1;
    try {
      return await lane.gatherer.submit(item);
    } finally {
      lane.waiting -= 1;
      if (lane.waiting === 0) this.separate.delete(projectId);
    }
  }

  private gatherer(timeout: string): Gatherer<In, Out> {
    const { flush, ...bounds } = this.options;
    return new Gatherer({ ...bounds, flush: (items) => flush(items, timeout), inFlight: 1, restMs });
  }
}
