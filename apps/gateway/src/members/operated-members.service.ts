import { Injectable } from '@nestjs/common';
import {
  lastOwner,
  memberNotFound,
  operatedMembers,
  projectNotFound,
  userNotFound,
  type Member,
  type MemberAddress,
  type MemberRole,
  type ProjectMembers,
  type PutMember,
  type RemovedMember,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { MembersReadModel } from './members.read-model.js';
import { MembersRepository } from './members.repository.js';
import { MembershipService } from './membership.service.js';

const mostListed = 1_000;

/** Members as the operator of the installation decides, for a project whose owner is gone or that never had one. */
@Injectable()
export class OperatedMembers {
  constructor(
    private readonly commits: Commits,
    private readonly projects: ProjectsRepository,
    private readonly members: MembersRepository,
    private readonly membership: MembershipService,
    private readonly people: MembersReadModel,
  ) {}

  @Handles(operatedMembers.list)
  async list({ caller: { projectId } }: Incoming<object>): Promise<ProjectMembers> {
    if (!(await this.projects.find(projectId))) throw projectNotFound();
    return { items: await this.people.first(projectId, mostListed) };
  }

  @Handles(operatedMembers.put)
  async put({ caller: { projectId }, body, deadline }: Incoming<PutMember>): Promise<Member> {
    const userId = await this.commits.before(deadline, () => this.putNow(projectId, body.email, body.role));
    return (await this.people.find(projectId, userId))!;
  }

  /** In the ambient transaction. */
  async putNow(projectId: string, email: string, role: MemberRole): Promise<string> {
    const userId = await this.userWith(projectId, email);
    const member = await this.members.find(projectId, userId);
    if (!member) await this.membership.add(projectId, userId, role);
    else if (member.role !== role) {
      if (member.role === 'OWNER') await this.refuseLastOwner(projectId);
      await this.membership.change(member, role);
    }
    return userId;
  }

  @Handles(operatedMembers.remove)
  async remove({
    caller: { projectId },
    body: { email },
    deadline,
  }: Incoming<MemberAddress>): Promise<RemovedMember> {
    const id = await this.commits.before(deadline, async () => {
      const userId = await this.userWith(projectId, email);
      const member = await this.members.find(projectId, userId);
      if (!member) throw memberNotFound();
      if (member.role === 'OWNER') await this.refuseLastOwner(projectId);
      await this.membership.remove(member);
      return userId;
    });
    return { id };
  }

  /** Locks the project, as every change of members does. */
  private async userWith(projectId: string, email: string): Promise<string> {
    if (!(await this.projects.findForUpdate(projectId))) throw projectNotFound();
    const userId = await this.people.userWith(email);
    if (!userId) throw userNotFound();
    return userId;
  }

  private async refuseLastOwner(projectId: string): Promise<void> {
    if ((await this.members.countOwners(projectId)) === 1) throw lastOwner();
  }
}
