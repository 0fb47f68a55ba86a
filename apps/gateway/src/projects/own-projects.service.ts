import { Injectable } from '@nestjs/common';
import { emailNotVerified, tooManyNewProjects, tooManyProjects, type PageQuery } from '@posthorn/contracts';
import { DatabaseClock, type Page } from '@posthorn/database';
import { Commits } from '@posthorn/platform';
import { noSession } from '../wire/errors.js';
import { MembershipService } from '../members/membership.service.js';
import { CreatorsReadModel, type Creator } from './creators.read-model.js';
import { ProjectRow } from './project.entity.js';
import { ProjectsRepository } from './projects.repository.js';
import { ProjectsService } from './projects.service.js';

const maxOwned = 10;
const maxAnHour = 5;

@Injectable()
export class OwnProjectsService {
  constructor(
    private readonly commits: Commits,
    private readonly clock: DatabaseClock,
    private readonly creators: CreatorsReadModel,
    private readonly projects: ProjectsService,
    private readonly rows: ProjectsRepository,
    private readonly membership: MembershipService,
  ) {}

  create(userId: string, name: string): Promise<ProjectRow> {
    return this.commits.before(null, async () => {
      refuse(await this.creators.hold(userId));
      const row = ProjectRow.found(name, await this.clock.now(), userId);
      await this.projects.add(row);
      await this.membership.add(row.id, userId, 'OWNER');
      return row;
    });
  }

  async list(userId: string, page: PageQuery): Promise<Page<ProjectRow> & { total?: number }> {
    const [found, total] = await Promise.all([
      this.rows.pageOf(userId, page),
      page.withTotal ? this.rows.countOf(userId) : Promise.resolve(undefined),
    ]);
    return { ...found, total };
  }
}

function refuse(owner: Creator | null): void {
  // The account was deleted while its session was still cached.
  if (!owner) throw noSession();
  if (!owner.verified) throw emailNotVerified();
  if (owner.owned >= maxOwned) throw tooManyProjects();
  if (owner.lastHour >= maxAnHour) throw tooManyNewProjects(owner.nextIn);
}
