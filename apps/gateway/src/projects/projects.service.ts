import { Injectable } from '@nestjs/common';
import {
  isLanguage,
  isTimeZone,
  notALanguage,
  notATimeZone,
  projectEvents,
  projectNotFound,
  type DisabledReason,
  type IdentityAction,
  type UpdateProject,
} from '@posthorn/contracts';
import { Database, DatabaseClock, type Page, type PageRequest } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import { Audit } from '../audit/audit.js';
import { ProjectRow } from './project.entity.js';
import { ProjectsRepository } from './projects.repository.js';

@Injectable()
export class ProjectsService {
  constructor(
    private readonly database: Database,
    private readonly clock: DatabaseClock,
    private readonly projects: ProjectsRepository,
    private readonly outbox: Outbox,
    private readonly audit: Audit,
  ) {}

  async create(name: string): Promise<ProjectRow> {
    const row = ProjectRow.found(name, await this.clock.now(), null);
    await this.database.transaction(() => this.add(row));
    return row;
  }

  /** Joins the ambient transaction. */
  async add(row: ProjectRow): Promise<void> {
    await this.projects.insert(row);
    await this.publish(row);
    await this.audit.record(row.id, 'project.created', row.id);
  }

  /** Idempotent, also between concurrent processes. */
  async ensure(projectId: string, name: string): Promise<void> {
    if (await this.projects.find(projectId)) return;
    const row = Object.assign(ProjectRow.found(name, await this.clock.now(), null), { id: projectId });
    await this.database.transaction(async () => {
      if (await this.projects.insertNew(row)) await this.publish(row);
    });
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
    return this.change(projectId, 'project.disabled', (row, at) => row.disable(reason, at));
  }

  enable(projectId: string): Promise<ProjectRow> {
    return this.change(projectId, 'project.enabled', (row, at) => row.enable(at));
  }

  limit(
    projectId: string,
    secretPerSecond: number | null,
    publicPerSecond: number | null,
  ): Promise<ProjectRow> {
    return this.change(projectId, 'project.limited', (row, at) => {
      row.limit(secretPerSecond, publicPerSecond, at);
      return true;
    });
  }

  async settle(projectId: string, wanted: UpdateProject): Promise<ProjectRow> {
    if (wanted.timeZone !== undefined && !isTimeZone(wanted.timeZone)) throw notATimeZone('timeZone');
    if (wanted.language !== undefined && !isLanguage(wanted.language)) throw notALanguage('language');
    return this.change(projectId, 'project.updated', (row, at) => row.settle(wanted, at));
  }

  private async change(
    projectId: string,
    action: IdentityAction,
    apply: (row: ProjectRow, at: Date) => boolean,
  ): Promise<ProjectRow> {
    const at = await this.clock.now();
    const changed = await this.database.transaction(async () => {
      const row = await this.projects.findForUpdate(projectId);
      if (!row) throw projectNotFound();
      if (apply(row, at)) {
        await this.projects.save(row);
        await this.publish(row);
        await this.audit.record(projectId, action, projectId);
      }
      return row;
    });
    return changed;
  }

  private publish(row: ProjectRow): Promise<void> {
    const { id, name, disabled, disabledReason, seq, updatedAt: at } = row;
    const { tracking, language, timeZone, postalAddress, frequencyCap } = row;
    return this.outbox.publish(projectEvents.changed, id, [
      {
        ...{ id, name, disabled, disabledReason, seq, at },
        ...{ tracking, language, timeZone, postalAddress, frequencyCap },
      },
    ]);
  }
}
