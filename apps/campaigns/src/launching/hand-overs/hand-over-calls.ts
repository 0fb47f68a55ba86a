import { Injectable } from '@nestjs/common';
import { campaignMail, serviceCaller, type CampaignMailRecipient } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { QueuedRecipient } from '../../recipients/recipients.repository.js';
import type { LaunchRow } from '../launch.entity.js';

type Recipient = QueuedRecipient & Pick<CampaignMailRecipient, 'dueAt'>;

interface HandOverAnswer {
  pacePerSecond: number;
  /** E-mails of people who were erased meanwhile. */
  erased: string[];
}

const timeoutMs = 10_000;

@Injectable()
export class HandOverCalls {
  constructor(private readonly bus: Bus) {}

  async handOver(launch: LaunchRow, recipients: readonly Recipient[]): Promise<HandOverAnswer> {
    const { projectId, campaignId } = launch;
    const answers = await Promise.all(
      [...Map.groupBy(recipients, ({ variant }) => contentOf(launch, variant))].map(([contentId, some]) =>
        this.bus.call(
          campaignMail.handOver,
          serviceCaller('campaigns', projectId),
          {
            campaignId,
            contentId,
            recipients: some.map(({ variant: _, timeZone: _zone, ...recipient }) => recipient),
          },
          { timeoutMs },
        ),
      ),
    );
    return {
      pacePerSecond: answers[0]?.pacePerSecond ?? 0,
      erased: answers.flatMap(({ erased }) => erased),
    };
  }
}

const contentOf = ({ contentId, variantContents }: LaunchRow, variant: number | null): string =>
  (variant === null ? undefined : variantContents[variant]) ?? contentId;
