import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { projectFacts, projectNotFound, userExists, type CreatedUser, type CreateUser } from '@posthorn/contracts';
import { Database, DatabaseClock } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { FirstOwnersRepository } from './first-owners.repository.js';
import { People } from './people.js';

@Injectable()
export class UsersService {
  constructor(
    private readonly database: Database,
    private readonly clock: DatabaseClock,
    private readonly people: People,
    private readonly projects: ProjectsRepository,
    private readonly owners: FirstOwnersRepository,
    private readonly outbox: Outbox,
  ) {}

  async create({ email, name = email.slice(0, 100), password, verified = false, ownedProjectId }: CreateUser): Promise<CreatedUser> {
    const made = password ?? randomBytes(15).toString('base64url');
    const id = await this.database.transaction(async () => {
      const created = await this.people.create({ email, name, password: made, verified });
      if (!created) throw userExists();
      if (ownedProjectId) await this.own(ownedProjectId, created.id);
      return created.id;
    });
    this.outbox.ring();
    return { id, email, name, verified, password: password === undefined ? made : null };
  }

  private async own(projectId: string, userId: string): Promise<void> {
    const at = await this.clock.now();
    if (!(await this.projects.findForUpdate(projectId))) throw projectNotFound();
    await this.owners.insert(projectId, userId, at);
    await this.outbox.publish(projectFacts.memberAdded, projectId, [{ userId, role: 'OWNER', at }]);
  }
}
