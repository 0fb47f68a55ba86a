import { Injectable } from '@nestjs/common';
import { tooManyInvitationsOf } from '@posthorn/contracts';
import { PeopleMails } from '../people/people-mails.js';
import type { InvitationRow } from './invitation.entity.js';
import { MembersReadModel } from './members.read-model.js';

export interface InvitationMail {
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
