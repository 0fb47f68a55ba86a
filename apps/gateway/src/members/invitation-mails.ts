import { Injectable } from '@nestjs/common';
import { PeopleMails } from '../people/people-mails.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import type { InvitationRow } from './invitation.entity.js';

export interface InvitationMail {
  invitation: InvitationRow;
  /** For the link; stored nowhere else. */
  token: string;
}

/** Where invitations become mails. */
@Injectable()
export class InvitationMails {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly mails: PeopleMails,
  ) {}

  /** Called within the transaction of the invitation. */
  async invite({ invitation, token }: InvitationMail): Promise<void> {
    const project = await this.projects.find(invitation.projectId);
    await this.mails.invitation(invitation.email, project?.name ?? 'Posthorn', token);
  }
}
