import type { Database } from '@posthorn/database';
import type { QueryDeepPartialEntity } from 'typeorm';
import { StepRow, TransitionRow, type Graph } from './graph.entity.js';

export class GraphsRepository {
  constructor(private readonly database: Database) {}

  async of(projectId: string, workflowId: string): Promise<Graph> {
    const ofWorkflow = { where: { projectId, workflowId }, order: { place: 'ASC' } } as const;
    const { manager } = this.database;
    return {
      steps: await manager.getRepository(StepRow).find(ofWorkflow),
      transitions: await manager.getRepository(TransitionRow).find(ofWorkflow),
    };
  }

  /** Stores the graph of a workflow that has none. */
  async add({ steps, transitions }: Graph): Promise<void> {
    const { manager } = this.database;
    await manager.insert(StepRow, steps as QueryDeepPartialEntity<StepRow>[]);
    if (transitions.length > 0) await manager.insert(TransitionRow, transitions as QueryDeepPartialEntity<TransitionRow>[]);
  }
}
