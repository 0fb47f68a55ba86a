import { Controller } from '@nestjs/common';
import { emailFacts, type EmailBounced, type EmailEngaged, type EmailFact } from '@posthorn/contracts';
import { HearsEach, type Fact } from '@posthorn/messaging';
import { Tombstones } from '../erasures/tombstones.js';
import { MailSummaries, type MailHappened, type MailKind } from './mail-summaries.read-model.js';

const kindOf: Readonly<Record<string, MailKind>> = {
  [emailFacts.sent.name]: 'sent',
  [emailFacts.delivered.name]: 'delivered',
  [emailFacts.complained.name]: 'complained',
  [emailFacts.opened.name]: 'opened',
  [emailFacts.clicked.name]: 'clicked',
};

@Controller()
export class MailSummariesSubscribers {
  constructor(
    private readonly summaries: MailSummaries,
    private readonly tombstones: Tombstones,
  ) {}

  @HearsEach([emailFacts.sent, emailFacts.delivered, emailFacts.complained], 'summaries')
  onSent({ projectId, items, origins }: Fact<EmailFact>): Promise<void> {
    return this.add(
      projectId,
      items.map(({ to, at }, place) => ({ email: to, at, kind: kindOf[origins[place]!.fact]! })),
    );
  }

  /** What came back for now is no bounce (contract.md §9). */
  @HearsEach([emailFacts.bounced], 'summaries')
  async onBounced({ projectId, items }: Fact<EmailBounced>): Promise<void> {
    const permanent = items.filter(({ bounceType }) => bounceType === 'Permanent');
    if (permanent.length > 0)
      await this.add(
        projectId,
        permanent.map(({ to, at }) => ({ email: to, at, kind: 'bounced' })),
      );
  }

  /** Machines are no readers. */
  @HearsEach([emailFacts.opened, emailFacts.clicked], 'summaries')
  async onEngaged({ projectId, items, origins }: Fact<EmailEngaged>): Promise<void> {
    const people = items.flatMap(({ to, at, isMachine }, place) =>
      isMachine ? [] : [{ email: to, at, kind: kindOf[origins[place]!.fact]! }],
    );
    if (people.length > 0) await this.add(projectId, people);
  }

  /** Whoever has the address of somebody who was erased is not the one that it was told of. */
  private async add(projectId: string, happened: MailHappened[]): Promise<void> {
    const standing = await this.tombstones.standing(projectId, happened);
    if (standing.length > 0) await this.summaries.add(projectId, standing);
  }
}
