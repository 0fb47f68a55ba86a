import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { LenderStandings } from '../authorities/standings.js';

interface Effectual {
  execution: { id: string; workflowId: string };
}

interface Beginning<T> {
  execution: Effectual['execution'];
  effect: () => Promise<T>;
  begun: (result: { result: Promise<T> } | null) => void;
  failed: (error: unknown) => void;
}

/** Between effects and whoever ends executions: what has been answered to be paused or cancelled begins no effect any more. */
@Injectable()
export class EffectFence {
  /** By project: those that ask at once begin together. */
  private readonly beginning = new Map<string, Beginning<unknown>[]>();

  constructor(
    private readonly database: Database,
    private readonly standings: LenderStandings,
  ) {}

  /** Nothing goes on while its project is disabled; it waits. */
  isHeld(projectId: string): Promise<boolean> {
    return this.standings.isDisabled(projectId);
  }

  /** Does `work` for those that still run, and nobody pauses or ends them meanwhile. It must be short. */
  whileRunning<Running extends Effectual, T>(
    projectId: string,
    activations: readonly Running[],
    work: (running: ReadonlySet<Running>) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async () => {
      const running = await this.hold(
        projectId,
        activations.map(({ execution }) => execution),
      );
      return work(new Set(activations.filter(({ execution }) => running.has(execution.id))));
    });
  }

  /** Begins what may take long, and does not wait for its end; null where the execution is over. */
  begin<T>(
    projectId: string,
    execution: Effectual['execution'],
    effect: () => Promise<T>,
  ): Promise<{ result: Promise<T> } | null> {
    return new Promise((begun, failed) => {
      const together = this.beginning.get(projectId);
      const asked = { execution, effect, begun, failed } as Beginning<unknown>;
      if (together) return together.push(asked);
      this.beginning.set(projectId, [asked]);
      return setImmediate(() => void this.beginTogether(projectId));
    });
  }

  private async beginTogether(projectId: string): Promise<void> {
    const asked = this.beginning.get(projectId)!;
    this.beginning.delete(projectId);
    try {
      await this.whileRunning(projectId, asked, async (running) => {
        // What has begun is not taken back by a commit that fails.
        for (const each of asked)
          each.begun(running.has(each) ? { result: this.database.apart(each.effect) } : null);
      });
    } catch (error) {
      for (const { failed } of asked) failed(error);
    }
  }

  /** Effects under way end first, and none begins until the end of the transaction. To be called before its rows are locked. */
  async close(projectId: string, workflowId: string): Promise<void> {
    await this.database.query(`SELECT pg_advisory_xact_lock(${keyOf('$1', '$2')})`, [projectId, workflowId]);
  }

  /** An advisory lock, because those who wait for it have their turn; a row that is shared again and again never becomes free. */
  private async hold(projectId: string, executions: readonly Effectual['execution'][]): Promise<Set<string>> {
    const workflowIds = [...new Set(executions.map(({ workflowId }) => workflowId))].sort();
    await this.database.query(
      `SELECT pg_advisory_xact_lock_shared(${keyOf('$1', 'id')}) FROM unnest($2::text[]) AS w (id)`,
      [projectId, workflowIds],
    );
    const rows = await this.database.query<{ id: string }>(
      `SELECT e.id FROM executions e JOIN workflows w ON w.project_id = e.project_id AND w.id = e.workflow_id AND w.generation = e.generation
       WHERE e.project_id = $1 AND e.id = ANY ($2::uuid[]) AND e.ended_at IS NULL ORDER BY e.id FOR SHARE OF e`,
      [projectId, executions.map(({ id }) => id)],
    );
    return new Set(rows.map(({ id }) => id));
  }
}

const keyOf = (project: string, workflow: string): string =>
  `hashtextextended(${project}::text || ' ' || ${workflow}::text || ' effects', 0)`;
