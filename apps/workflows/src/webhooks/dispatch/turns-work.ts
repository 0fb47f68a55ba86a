import type { WorkBatch, WorkHandler, WorkItem, WorkQueue, WorkRunner } from '@posthorn/work';
import type { DueCall } from './attempt.js';
import type { CallSource, EndpointTurns, OpenEndpoint } from './endpoint-turns.js';

const afterDeathMs = 60_000;

/** One item for each endpoint with calls; its key is the endpoint. */
export abstract class TurnsWork<
  Endpoint extends OpenEndpoint,
  Call extends DueCall,
> implements WorkHandler<object> {
  protected constructor(
    private readonly turns: EndpointTurns,
    private readonly source: CallSource<Endpoint, Call>,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(source.kind, this);
  }

  run(batch: WorkBatch): Promise<void> {
    return this.turns.take(this.source, batch);
  }

  async dead({ projectId, key }: WorkItem): Promise<void> {
    await this.queue.enqueue(this.source.kind, [{ projectId, key: key!, delayMs: afterDeathMs }]);
  }
}
