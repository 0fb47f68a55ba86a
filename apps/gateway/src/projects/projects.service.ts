import { Injectable } from '@nestjs/common';
import {
  isLanguage,
  isTimeZone,
  notALanguage,
  notATimeZone,
  projectEvents,
  projectNotFound,
  projects,
  type DisableProject,
  type DisabledReason,
  type IdentityAction,
  type LimitProject,
  type ListProjects,
  type Project,
  type ProjectId,
  type ProjectPage,
  type UpdateProject,
} from '@posthorn/contracts';
import { Database, DatabaseClock } from '@posthorn/database';
import { Handles, Outbox, type Incoming } from '@posthorn/messaging';
import { Audit } from '../audit/audit.js';
import { ProjectRow } from './project.entity.js';
import { ProjectsRepository } from './projects.repository.js';

/** Operators and services name the project in the body. */
@Injectable()
export class ProjectsService {
  constructor(
    private readonly database: Database,
    private readonly clock: DatabaseClock,
    private readonly projects: ProjectsRepository,
    private readonly outbox: Outbox,
    private readonly audit: Audit,
  ) {}

  /** `alsoDo` belongs to the same transaction. */
  async create(name: string, alsoDo: (projectId: string) => Promise<unknown>): Promise<Project> {
    const row = ProjectRow.found(name, await this.clock.now(), null);
    await this.database.transaction(async () => {
      await this.add(row);
      await alsoDo(row.id);
    });
    return toProject(row);
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

  @Handles(projects.get)
  async getById({ body }: Incoming<ProjectId>): Promise<Project> {
    return toProject(await this.get(body.id));
  }

  async get(projectId: string): Promise<ProjectRow> {
    const row = await this.projects.find(projectId);
    if (!row) throw projectNotFound();
    return row;
  }

  @Handles(projects.list)
  async list({ body }: Incoming<ListProjects>): Promise<ProjectPage> {
    const page = await this.projects.page(body);
    return { ...page, items: page.items.map(toProject) };
  }

  @Handles(projects.disable)
  async disableById({ body }: Incoming<DisableProject>): Promise<Project> {
    return toProject(await this.disable(body.id, body.reason));
  }

  disable(projectId: string, reason: DisabledReason): Promise<ProjectRow> {
    return this.change(projectId, 'project.disabled', (row, at) => row.disable(reason, at));
  }

  @Handles(projects.enable)
  async enable({ body }: Incoming<ProjectId>): Promise<Project> {
    return toProject(await this.change(body.id, 'project.enabled', (row, at) => row.enable(at)));
  }

  @Handles(projects.limit)
  async limit({ body }: Incoming<LimitProject>): Promise<Project> {
    const limited = await this.change(body.id, 'project.limited', (row, at) => {
      row.limit(body.secretPerSecond, body.publicPerSecond, at);
      return true;
    });
    return toProject(limited);
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

  private publish(row: ProjectRow): Promise<unknown> {
    const { id, name, disabled, disabledReason, seq, updatedAt: at } = row;
    const { tracking, language, timeZone, postalAddress, frequencyCap } = row;
    return this.outbox.publish(projectEvents.changed, id, [
      {
        id,
        name,
        disabled,
        disabledReason,
        seq,
        at,
        tracking,
        language,
        timeZone,
        postalAddress,
        frequencyCap,
      },
    ]);
  }
}

function toProject(row: ProjectRow): Project {
  const { id, name, disabled, disabledReason, sandboxHandle, createdAt, updatedAt, seq } = row;
  const { tracking, language, timeZone, frequencyCap } = row;
  return {
    id,
    name,
    disabled,
    disabledReason,
    sandboxHandle,
    tracking,
    language,
    timeZone,
    frequencyCap,
    createdAt,
    updatedAt,
    seq: Number(seq),
  };
}
