import { Injectable } from '@nestjs/common';
import { usageEvents, type UsageLimit, type UsageWarned } from '@posthorn/contracts';
import { OnEvent, type DomainEvent } from '@posthorn/messaging';
import { OwnersReadModel } from '../domains/owners.read-model.js';
import { letter } from '../system-mails/letter.js';
import { SystemMails } from '../system-mails/system-mails.js';
import { ProjectsService } from '../projects/projects.service.js';

const limitNames: Readonly<Record<UsageLimit, string>> = {
  MONTHLY: 'this month',
  DAILY: 'today',
  TRANSACTIONAL: 'transactional mail this month',
  CAMPAIGN: 'campaigns this month',
  WORKFLOW: 'workflows this month',
  INBOUND: 'mailboxes this month',
};

@Injectable()
export class UsageMails {
  constructor(
    private readonly owners: OwnersReadModel,
    private readonly projects: ProjectsService,
    private readonly mails: SystemMails,
  ) {}

  /** Joins the transaction of the event. */
  @OnEvent(usageEvents.warned, 'usage-mails')
  async onWarned({ projectId, items }: DomainEvent<UsageWarned>): Promise<void> {
    for (const warned of items) await this.warn(projectId, warned);
  }

  private async warn(projectId: string, warned: UsageWarned): Promise<void> {
    const { name } = await this.projects.get(projectId);
    const paragraphs = [
      `${name} has sent ${warned.emailsSent} of the ${warned.messages} messages that are allowed for ${limitNames[warned.limit]}.`,
      consequenceOf(warned),
      'Only the operator of this installation can change the limit.',
    ];
    const subject =
      warned.percent >= 100
        ? `${name} has reached a sending limit`
        : `${name} has used ${warned.percent} % of a sending limit`;
    for (const to of await this.owners.addressesOf(projectId))
      await this.mails.send('usage', { to, subject, ...letter(paragraphs) });
  }
}

function consequenceOf({ percent, whenExhausted, resetsAt }: UsageWarned): string {
  const until = `${resetsAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const further = percent >= 100 ? 'Further messages' : 'At the limit, further messages';
  return whenExhausted === 'HOLD'
    ? `${further} wait until ${until} and are sent then.`
    : `${further} fail with the reason quota_exhausted until ${until}.`;
}
