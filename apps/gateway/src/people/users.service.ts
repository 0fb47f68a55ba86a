import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  projectNotFound,
  userExists,
  userNotFound,
  users,
  type CreatedUser,
  type CreateUser,
  type KnownUser,
  type VerifyUser,
} from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { MembershipService } from '../members/membership.service.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { People } from './people.js';

@Injectable()
export class UsersService {
  constructor(
    private readonly database: Database,
    private readonly people: People,
    private readonly projects: ProjectsRepository,
    private readonly membership: MembershipService,
  ) {}

  @Handles(users.create)
  async create({
    body: { email, name = email.slice(0, 100), password, verified = false, ownedProjectId },
  }: Incoming<CreateUser>): Promise<CreatedUser> {
    const made = password ?? randomBytes(15).toString('base64url');
    const id = await this.database.transaction(async () => {
      const created = await this.people.create({ email, name, password: made, verified });
      if (!created) throw userExists();
      if (ownedProjectId) await this.own(ownedProjectId, created.id);
      return created.id;
    });
    return { id, email, name, verified, password: password === undefined ? made : null };
  }

  @Handles(users.verify)
  async verify({ body: { email } }: Incoming<VerifyUser>): Promise<KnownUser> {
    const known = await this.people.verify(email);
    if (!known) throw userNotFound();
    return { ...known, verified: true };
  }

  private async own(projectId: string, userId: string): Promise<void> {
    if (!(await this.projects.findForUpdate(projectId))) throw projectNotFound();
    await this.membership.add(projectId, userId, 'OWNER');
  }
}
