import { Injectable } from '@nestjs/common';
import { WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { EffectFence } from '../cancellations/effect-fence.js';
import { Effects, type EffectResult } from './effects.js';
import { executionWork } from './execution-kinds.js';
import { ExecutionWrites } from './execution-writes.js';
import { isTemporary } from './temporary.js';
import type { Turn } from './turn.js';
import { Turns } from './turns.js';

type Items = Map<string, WorkItem>;

/** While another service is away; only a refusal fails an execution. */
const laterMs = 10_000;
/** While the project is disabled. */
const disabledMs = 60_000;

/** Executions of one project go on together: decide, store the position, do what it says, store the result (docs/decisions/0030-workflows.md). */
@Injectable()
export class ExecutionsWork implements WorkHandler<object> {
  constructor(
    private readonly turns: Turns,
    private readonly effects: Effects,
    private readonly writes: ExecutionWrites,
    private readonly fence: EffectFence,
    runner: WorkRunner,
  ) {
    runner.register(executionWork, this);
  }

  async run(batch: WorkBatch): Promise<void> {
    try {
      await this.goOn(batch);
    } catch (error) {
      if (!isTemporary(error)) throw error;
      await batch.postpone(batch.unsettled, laterMs);
    }
  }

  async dead({ projectId, key }: WorkItem, error: string): Promise<void> {
    await this.writes.giveUp(projectId, key!, error);
  }

  private async goOn(batch: WorkBatch): Promise<void> {
    const { projectId } = batch;
    if (await this.fence.isHeld(projectId)) return batch.postpone(batch.items, disabledMs);
    const items: Items = new Map(batch.items.map((item) => [item.key!, item]));
    const { turns, ...over } = await this.turns.begin(projectId, [...items.keys()], await this.writes.now());
    await this.writes.settleIdle(batch, items, turns, over);
    for (let active = turns; active.length > 0;) {
      await this.writes.commit(batch, items, active, await this.writes.now());
      await this.writes.awaitTexts(
        batch,
        items,
        active.filter(({ awaitsTexts }) => awaitsTexts),
      );
      active = active.filter(({ effect, awaitsTexts }) => effect !== null && !awaitsTexts);
      if (active.length === 0) return;
      if (batch.stopping) return batch.continueLater(itemsOf(active, items));
      active = await this.doEffects(batch, items, active);
    }
  }

  /** Those that went on. Others are tried again later. */
  private async doEffects(batch: WorkBatch, items: Items, active: readonly Turn[]): Promise<Turn[]> {
    // What follows counts from here: an event that the effect causes is not before the wait for it.
    const now = await this.writes.now();
    const results = await this.effects.run(batch.projectId, active);
    const are = (kind: EffectResult['kind']) =>
      itemsOf(
        active.filter((turn) => results.get(turn)!.kind === kind),
        items,
      );
    await batch.postpone(are('later'), laterMs);
    await batch.postpone(are('held'), disabledMs);
    return active.filter((turn) => settleEffect(turn, results.get(turn)!, now));
  }
}

/** False where it is tried again. */
function settleEffect(turn: Turn, result: EffectResult, now: Date): boolean {
  switch (result.kind) {
    case 'later':
    case 'held':
    case 'over':
      return false;
    case 'refused':
      turn.fail(result.reason, now);
      return true;
    case 'done': {
      // Where a process ended after it, what it caused meanwhile is not before the next step either.
      const at = result.at && result.at < now ? result.at : now;
      turn.settle(null, result.output, at);
      turn.goOn(at);
      return true;
    }
  }
}

const itemsOf = (turns: readonly Turn[], items: Items): WorkItem[] =>
  turns.map(({ execution }) => items.get(execution.id)!);
