import type { ClaimedDelivery, ClaimOptions, ClaimsRepository } from './claims.repository.js';
import type { Lane } from '../delivery.entity.js';

export const beforeAllProjects = '00000000-0000-0000-0000-000000000000';

export class ProjectTurns {
  private readonly cursor: Record<Lane, string> = { 0: beforeAllProjects, 1: beforeAllProjects };

  constructor(private readonly claims: ClaimsRepository) {}

  async claim(options: Omit<ClaimOptions, 'afterProject'>): Promise<ClaimedDelivery[]> {
    const { lane, limit } = options;
    const afterProject = this.cursor[lane];
    let messages = await this.claims.claim({ ...options, afterProject });
    if (messages.length === 0 && afterProject !== beforeAllProjects)
      messages = await this.claims.claim({ ...options, afterProject: beforeAllProjects });
    // Rows come in no order.
    const last = messages
      .map(({ projectId }) => projectId)
      .reduce((a, b) => (a > b ? a : b), beforeAllProjects);
    this.cursor[lane] = messages.length < limit ? beforeAllProjects : last;
    return messages;
  }
}
