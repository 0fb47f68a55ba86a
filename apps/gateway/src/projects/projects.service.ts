import { Injectable } from '@nestjs/common';
import { projectFacts, projectNotFound, type DisabledReason, type UpdateProject } from '@posthorn/contracts';
import { Database, DatabaseClock, type Page, type PageRequest } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import { ProjectRow } from './project.entity.js';
import { ProjectsRepository } from './projects.repository.js';

@Injectable()
export class ProjectsService {
  constructor(
    private readonly database: Database,
    private readonly clock: DatabaseClock,
    private readonly projects: ProjectsRepository,
    private readonly outbox: Outbox,
  ) {}

  async create(name: string): Promise<ProjectRow> {
    const row = ProjectRow.found(name, await this.clock.now(), null);
    await this.database.transaction(() => this.add(row));
    this.outbox.ring();
    return row;
  }

  /** Within the transaction of whoever makes it. */
  async add(row: ProjectRow): Promise<void> {
    await this.projects.insert(row);
    await this.tell(row);
  }

  async get(projectId: string): Promise<ProjectRow> {
    const row = await this.projects.find(projectId);
    if (!row) throw projectNotFound();
    return row;
  }

  list(request: PageRequest): Promise<Page<ProjectRow>> {
    return this.projects.page(request);
  }

  disable(projectId: string, reason: DisabledReason): Promise<ProjectRow> {
    return this.change(projectId, (row, at) => row.disable(reason, at));
  }

  enable(projectId: string): Promise<ProjectRow> {
    return this.change(projectId, (row, at) => row.enable(at));
  }

  limit(projectId: string, secretPerSecond: number | null, publicPerSecond: number | null): Promise<ProjectRow> {
    return this.change(projectId, (row, at) => {
      row.limit(secretPerSecond, publicPerSecond, at);
      return true;
    });
  }

  settle(projectId: string, wanted: UpdateProject): Promise<ProjectRow> {
    return this.change(projectId, (row, at) => row.settle(wanted, at));
  }

  private async change(projectId: string, apply: (row: ProjectRow, at: Date) => boolean): Promise<ProjectRow> {
    const at = await this.clock.now();
    const changed = await this.database.transaction(async () => {
      const row = await this.projects.findForUpdate(projectId);
      if (!row) throw projectNotFound();
      if (apply(row, at)) {
        await this.projects.save(row);
        await this.tell(row);
      }
      return row;
    });
    this.outbox.ring();
    return changed;
  }

  private tell({ id, name, disabled, disabledReason, seq, updatedAt }: ProjectRow): Promise<void> {
    return this.outbox.publish(projectFacts.changed, id, [{ id, name, disabled, disabledReason, seq, at: updatedAt }]);
  }
}
