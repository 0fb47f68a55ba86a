import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { executionWork, textItem, textWork } from '../work-kinds.js';
import { isTemporary } from '../executions/temporary.js';
import type { Activation } from '../executions/activation.js';
import { Activations } from '../executions/activations.js';
import { RenderedTextsRepository, type RenderedTexts } from './rendered-texts.repository.js';
import { StepTexts } from './step-texts.js';
import { textsOfStop } from './texts-of-stop.js';

/** Then it is another project's turn. */
const turnMs = 500;
const mostAtOnce = 32;
const laterMs = 2_000;
const afterDeathMs = 60_000;

/** Renders what effects need, apart from the lanes of the engine: the Liquid of one project may take as long as it is allowed to. */
@Injectable()
export class TextsWork implements WorkHandler<object> {
  constructor(
    private readonly database: Database,
    private readonly activations: Activations,
    private readonly texts: StepTexts,
    private readonly rendered: RenderedTextsRepository,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(textWork, this);
  }

  async run(batch: WorkBatch): Promise<void> {
    try {
      if (await this.round(batch)) await batch.continueLater(batch.items);
    } catch (error) {
      if (!isTemporary(error)) throw error;
      await batch.postpone(batch.unsettled, laterMs);
    }
  }

  async dead({ projectId }: WorkItem): Promise<void> {
    await this.queue.enqueue(textWork, [{ ...textItem(projectId), delayMs: afterDeathMs }]);
  }

  /** Quick texts many at once, slow ones one by one. Answers whether there is more. */
  private async round(batch: WorkBatch): Promise<boolean> {
    const until = performance.now() + turnMs;
    for (let atOnce = 1; performance.now() < until && !batch.stopping;) {
      const ids = await this.rendered.pending(batch.projectId, atOnce);
      if (ids.length === 0) return false;
      const began = performance.now();
      await this.render(batch.projectId, ids).catch(async (error: unknown) => {
        // What fails again and again, but may only have come at a bad time, must not hold up the others.
        if (ids.length === 1) await this.rendered.putBack(batch.projectId, ids[0]!);
        throw error;
      });
      const each = (performance.now() - began) / ids.length;
      atOnce = Math.max(1, Math.min(mostAtOnce, 2 * atOnce, Math.floor(turnMs / each)));
    }
    return true;
  }

  private async render(projectId: string, ids: readonly string[]): Promise<void> {
    const { activations } = await this.activations.begin(projectId, ids, await this.activations.now());
    const waiting = activations.filter((activation) => activation.awaitsTexts);
    const texts = await this.texts.render(
      projectId,
      waiting.map((activation) => ({ activation, texts: textsOfStop(activation.stop) })),
    );
    const kept = new Set(waiting.map(({ execution }) => execution.id));
    await this.database.transaction(async () => {
      await this.rendered.store(
        projectId,
        waiting.map((activation) => rowOf(activation, texts.get(activation)!)),
      );
      await this.rendered.remove(
        projectId,
        ids.filter((id) => !kept.has(id)),
      );
      await this.queue.enqueue(
        executionWork,
        ids.map((key) => ({ projectId, key })),
      );
    });
  }
}

function rowOf({ execution, effectId }: Activation, texts: string[] | Error): RenderedTexts {
  const failed = texts instanceof Error;
  return {
    executionId: execution.id,
    effectId,
    texts: failed ? null : texts,
    error: failed ? texts.message : null,
  };
}
