import { Injectable } from '@nestjs/common';
import type { InvitationRow } from './invitation.entity.js';

export interface InvitationMail {
  invitation: InvitationRow;
  /** For the link; stored nowhere else. */
  token: string;
}

/** Where invitations become mails. */
@Injectable()
export class InvitationMails {
  /** Called within the transaction of the invitation. Until the queue of system mails is there, nothing is sent. */
  async invite(_mail: InvitationMail): Promise<void> {}
}
