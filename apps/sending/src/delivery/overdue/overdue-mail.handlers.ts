import { Controller } from '@nestjs/common';
import { overdueMail, type ChangedHeldMail, type HeldMail, type SelectHeldMail } from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { OverdueMail } from './overdue-mail.js';

@Controller()
export class OverdueMailHandlers {
  constructor(private readonly overdue: OverdueMail) {}

  @Handles(overdueMail.held)
  held({ body }: Incoming<SelectHeldMail>): Promise<HeldMail> {
    return this.overdue.held(body.projectId ?? null);
  }

  @Handles(overdueMail.release)
  release({ body }: Incoming<SelectHeldMail>): Promise<ChangedHeldMail> {
    return this.overdue.release(body.projectId ?? null);
  }

  @Handles(overdueMail.drop)
  drop({ body }: Incoming<SelectHeldMail>): Promise<ChangedHeldMail> {
    return this.overdue.drop(body.projectId ?? null);
  }
}
