import { Injectable } from '@nestjs/common';
import { PeopleMails } from '../people/people-mails.js';
import type { InvitationRow } from './invitation.entity.js';
import { MembersReadModel } from './members.read-model.js';

export interface InvitationMail {
  invitation: InvitationRow;
  /** For the link; stored nowhere else. */
  token: string;
}

/** Where invitations become mails. */
@Injectable()
export class InvitationMails {
  constructor(
    private readonly members: MembersReadModel,
    private readonly mails: PeopleMails,
  ) {}

  /** Called within the transaction of the invitation. */
  async invite({ invitation, token }: InvitationMail): Promise<void> {
    const { projectId, email, invitedBy } = invitation;
    const by = invitedBy === null ? null : await this.members.find(projectId, invitedBy);
    await this.mails.invitation({ email }, by?.email ?? null, token);
  }
}
