import { Injectable } from '@nestjs/common';
import { WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { Effects } from './effects.js';
import { executionWork } from './execution-kinds.js';
import { ExecutionWrites } from './execution-writes.js';
import type { Turn } from './turn.js';
import { Turns } from './turns.js';

type Items = Map<string, WorkItem>;

/** Executions of one project go on together: decide, store the position, do what it says, store the result (docs/decisions/0030-workflows.md). */
@Injectable()
export class ExecutionsWork implements WorkHandler<object> {
  constructor(
    private readonly turns: Turns,
    private readonly effects: Effects,
    private readonly writes: ExecutionWrites,
    runner: WorkRunner,
  ) {
    runner.register(executionWork, this);
  }

  async run(batch: WorkBatch): Promise<void> {
    const { projectId } = batch;
    const items: Items = new Map(batch.items.map((item) => [item.key!, item]));
    const { turns, orphans } = await this.turns.begin(projectId, [...items.keys()], await this.writes.now());
    await this.writes.settleIdle(batch, items, turns, orphans);
    for (let active = turns; active.length > 0; ) {
      await this.writes.commit(batch, items, active, await this.writes.now());
      active = active.filter(({ effect }) => effect !== null);
      if (active.length === 0) return;
      if (batch.stopping) return batch.continueLater(itemsOf(active, items));
      active = await this.doEffects(batch, items, active);
    }
  }

  async dead({ projectId, key }: WorkItem, error: string): Promise<void> {
    await this.writes.giveUp(projectId, key!, error);
  }

  /** Those that went on. Others are tried again later. */
  private async doEffects(batch: WorkBatch, items: Items, active: readonly Turn[]): Promise<Turn[]> {
    // What follows counts from here: an event that the effect causes is not before the wait for it.
    const now = await this.writes.now();
    const results = await this.effects.run(batch.projectId, active);
    return active.filter((turn) => {
      const result = results.get(turn)!;
      if (result.kind === 'later') batch.fail(items.get(turn.execution.id)!, result.error);
      else if (result.kind === 'refused') turn.fail(result.reason, now);
      else {
        turn.settle(null, result.output, now);
        turn.goOn(now);
      }
      return result.kind !== 'later';
    });
  }
}

const itemsOf = (turns: readonly Turn[], items: Items): WorkItem[] =>
  turns.map(({ execution }) => items.get(execution.id)!);
