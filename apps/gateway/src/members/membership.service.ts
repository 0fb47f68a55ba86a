import { Injectable } from '@nestjs/common';
import { memberRoles, projectEvents, type Caller, type MemberRole } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import { Audit } from '../audit/audit.js';
import { foreignProject } from '../wire/errors.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { InvitationsRepository } from './invitations.repository.js';
import { MemberRow } from './member.entity.js';
import { MembersRepository } from './members.repository.js';

/** Changes of membership with their events; each joins the ambient transaction. */
@Injectable()
export class MembershipService {
  constructor(
    private readonly clock: DatabaseClock,
    private readonly projects: ProjectsRepository,
    private readonly members: MembersRepository,
    private readonly invitations: InvitationsRepository,
    private readonly outbox: Outbox,
    private readonly audit: Audit,
  ) {}

  /** Reads the caller's membership after locking the project: of two owners who remove each other, the second one fails. */
  async hold({ projectId, actor }: Caller): Promise<MemberRow> {
    await this.projects.findForUpdate(projectId);
    const member = await this.members.find(projectId, actor.id);
    if (!member) throw foreignProject();
    return member;
  }

  find(projectId: string, userId: string): Promise<MemberRow | null> {
    return this.members.find(projectId, userId);
  }

  async add(projectId: string, userId: string, role: MemberRole): Promise<void> {
    const createdAt = await this.clock.now();
    await this.members.insert(Object.assign(new MemberRow(), { projectId, userId, role, createdAt }));
    await this.outbox.publish(projectEvents.memberAdded, projectId, [{ userId, role, at: createdAt }]);
    await this.audit.record(projectId, 'member.added', userId);
  }

  /** Also revokes the invitations that the member sent and could no longer send. */
  async change(member: MemberRow, role: MemberRole): Promise<void> {
    member.role = role;
    await this.members.save(member);
    const { projectId, userId } = member;
    const lost = memberRoles.filter((invited) => !member.decidesAbout(invited));
    await this.invitations.revokeOf(projectId, userId, lost);
    await this.outbox.publish(projectEvents.memberChanged, projectId, [
      { userId, role, at: await this.clock.now() },
    ]);
    await this.audit.record(projectId, 'member.changed', userId);
  }

  /** Also revokes the invitations that the member sent. */
  async remove(member: MemberRow): Promise<void> {
    const { projectId, userId, role } = member;
    await this.members.remove(member);
    await this.invitations.revokeOf(projectId, userId, memberRoles);
    await this.outbox.publish(projectEvents.memberRemoved, projectId, [
      { userId, role, at: await this.clock.now() },
    ]);
    await this.audit.record(projectId, 'member.removed', userId);
  }
}
