import { Injectable } from '@nestjs/common';
import {
  invitationNotFound,
  roleTooLow,
  tooManyInvitations,
  tooManyNewInvitations,
  type AcceptedInvitation,
  type Caller,
  type InviteMember,
  type PageQuery,
  tooManyInvitationsOf,
} from '@posthorn/contracts';
import { newId, type Page } from '@posthorn/database';
import { Commits } from '@posthorn/platform';
import { Audit } from '../audit/audit.js';
import { hashOfToken, mintLinkToken } from '../identity/tokens.js';
import { InvitationRow } from './invitation.entity.js';
import { InvitationsRepository } from './invitations.repository.js';
import { MembershipService } from './membership.service.js';
import { PeopleMails } from '../people/people-mails.js';
import { MembersReadModel } from './members.read-model.js';

interface InvitationMail {
  invitation: InvitationRow;
  /** Part of the link; not stored. */
  token: string;
}

@Injectable()
export class InvitationMails {
  constructor(
    private readonly members: MembersReadModel,
    private readonly mails: PeopleMails,
  ) {}

  /** Joins the transaction of the invitation. */
  async invite({ invitation, token }: InvitationMail): Promise<void> {
    const { projectId, email, invitedBy } = invitation;
    const by = invitedBy === null ? null : await this.members.find(projectId, invitedBy);
    const wait = await this.mails.invitation({ email, projectId }, by?.email ?? null, token);
    if (wait > 0) throw tooManyInvitationsOf(wait);
  }
}

const maxOpen = 100;
const maxAnHour = 50;
const validMs = 7 * 24 * 60 * 60 * 1_000;

@Injectable()
export class InvitationsService {
  constructor(
    private readonly commits: Commits,
    private readonly membership: MembershipService,
    private readonly invitations: InvitationsRepository,
    private readonly mails: InvitationMails,
    private readonly audit: Audit,
  ) {}

  async list(projectId: string, page: PageQuery): Promise<Page<InvitationRow> & { total?: number }> {
    const found = await this.invitations.open(projectId, page);
    return page.withTotal ? { ...found, total: await this.invitations.countOpen(projectId) } : found;
  }

  /** The response does not reveal whether the address has an account or is already a member. */
  invite(caller: Caller, { email, role }: InviteMember): Promise<InvitationRow> {
    const { projectId } = caller;
    return this.commits.before(null, async () => {
      const actor = await this.membership.hold(caller);
      if (!actor.decidesAbout(role)) throw roleTooLow();
      await this.invitations.removeOld(projectId);
      const at = await this.invitations.now();
      const known = await this.invitations.findFor(projectId, email);
      const open = known?.isOpen(at) ? known : null;
      const cooldown = known?.cooldownSeconds(at) ?? 0;
      if (open && cooldown > 0) return this.fix(open, role, actor.userId);
      await this.refuseFlood(projectId, open === null, cooldown);
      const token = mintLinkToken();
      const invitation = Object.assign(known ?? new InvitationRow(), {
        projectId,
        email,
        role,
        tokenHash: hashOfToken(token),
        invitedBy: actor.userId,
        id: known?.id ?? newId(),
        createdAt: open?.createdAt ?? at,
        sentAt: at,
        expiresAt: new Date(at.getTime() + validMs),
      });
      await this.invitations.save(invitation);
      await this.audit.record(projectId, 'member.invited', invitation.id);
      await this.mails.invite({ invitation, token });
      return invitation;
    });
  }

  revoke(caller: Caller, id: string): Promise<void> {
    return this.commits.before(null, async () => {
      const actor = await this.membership.hold(caller);
      if (!actor.decidesAbout('MEMBER')) throw roleTooLow();
      if (!(await this.invitations.revoke(caller.projectId, id))) throw invitationNotFound();
      await this.audit.record(caller.projectId, 'invitation.withdrawn', id);
    });
  }

  /** An existing member keeps their role. */
  accept(userId: string, token: string): Promise<AcceptedInvitation> {
    return this.join(userId, () => this.invitations.take({ tokenHash: hashOfToken(token) }, userId));
  }

  /** From the account of whoever was invited, without the link. */
  acceptById(userId: string, id: string): Promise<AcceptedInvitation> {
    return this.join(userId, () => this.invitations.take({ id }, userId));
  }

  private join(
    userId: string,
    take: () => Promise<Pick<InvitationRow, 'projectId' | 'role'> | null>,
  ): Promise<AcceptedInvitation> {
    return this.commits.before(null, async () => {
      const taken = await take();
      if (!taken) throw invitationNotFound();
      const { projectId, role } = taken;
      const known = await this.membership.find(projectId, userId);
      if (!known) await this.membership.add(projectId, userId, role);
      return { projectId, role: known?.role ?? role };
    });
  }

  /** A mail was sent a moment ago, and its link is also valid for the new role. */
  private async fix(
    open: InvitationRow,
    role: InvitationRow['role'],
    invitedBy: string,
  ): Promise<InvitationRow> {
    Object.assign(open, { role, invitedBy });
    await this.invitations.save(open);
    return open;
  }

  private async refuseFlood(projectId: string, isNew: boolean, rest: number): Promise<void> {
    if (rest > 0) throw tooManyNewInvitations(rest);
    if (isNew && (await this.invitations.countOpen(projectId)) >= maxOpen) throw tooManyInvitations();
    const { count, nextIn } = await this.invitations.sentLately(projectId);
    if (count >= maxAnHour) throw tooManyNewInvitations(nextIn);
  }
}
