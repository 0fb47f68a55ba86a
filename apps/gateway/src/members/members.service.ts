import { Injectable } from '@nestjs/common';
import {
  invalidMember,
  lastOwner,
  memberNotFound,
  roleTooLow,
  type Caller,
  type Member,
  type MemberRole,
  type PageQuery,
} from '@posthorn/contracts';
import { Commits } from '@posthorn/platform';
import type { DomainPage } from '../dialects/dialect.js';
import type { MemberRow } from './member.entity.js';
import { MembersReadModel } from './members.read-model.js';
import { MembersRepository } from './members.repository.js';
import { MembershipService } from './membership.service.js';

@Injectable()
export class MembersService {
  constructor(
    private readonly commits: Commits,
    private readonly members: MembersRepository,
    private readonly membership: MembershipService,
    private readonly people: MembersReadModel,
  ) {}

  list(projectId: string, page: PageQuery): Promise<DomainPage> {
    return this.people.page(projectId, page);
  }

  async changeRole(caller: Caller, userId: string, role: MemberRole): Promise<Member> {
    await this.commits.before(null, async () => {
      const actor = await this.membership.hold(caller);
      const member = await this.memberFor(actor, userId);
      if (!actor.decidesAbout(member.role) || !actor.decidesAbout(role)) throw roleTooLow();
      if (member.role === role) return;
      await this.refuseLastOwner(member);
      await this.membership.change(member, role);
    });
    return this.get(caller.projectId, userId);
  }

  remove(caller: Caller, userId: string): Promise<void> {
    return this.commits.before(null, async () => {
      const actor = await this.membership.hold(caller);
      const leaves = actor.userId === userId;
      if (!leaves && !actor.decidesAbout('MEMBER')) throw roleTooLow();
      const member = await this.memberFor(actor, userId);
      if (!leaves && !actor.decidesAbout(member.role)) throw roleTooLow();
      await this.refuseLastOwner(member);
      await this.membership.remove(member);
    });
  }

  /** The new owner is set first, so that the project always has an owner. */
  async transfer(caller: Caller, userId: string): Promise<Member> {
    await this.commits.before(null, async () => {
      const actor = await this.membership.hold(caller);
      if (actor.role !== 'OWNER') throw roleTooLow();
      const successor = await this.members.find(actor.projectId, userId);
      if (!successor) throw invalidMember(['userId'], 'not_found', 'must be a member of the project');
      if (successor.userId === actor.userId) return;
      if (successor.role !== 'OWNER') await this.membership.change(successor, 'OWNER');
      await this.membership.change(actor, 'ADMIN');
    });
    return this.get(caller.projectId, userId);
  }

  private async memberFor(actor: MemberRow, userId: string): Promise<MemberRow> {
    const member = actor.userId === userId ? actor : await this.members.find(actor.projectId, userId);
    if (!member) throw memberNotFound();
    return member;
  }

  private async refuseLastOwner({ projectId, role }: MemberRow): Promise<void> {
    if (role === 'OWNER' && (await this.members.countOwners(projectId)) === 1) throw lastOwner();
  }

  private async get(projectId: string, userId: string): Promise<Member> {
    const member = await this.people.find(projectId, userId);
    if (!member) throw memberNotFound();
    return member;
  }
}
