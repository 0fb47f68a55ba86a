import { Injectable, Logger } from '@nestjs/common';
import { contacts, serviceCaller, systemProjectId } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { StoredMessage } from './stored-message.js';

const timeoutMs = 1_500;

/** Names the contacts of mail whose acceptance asked for none, before any event about it leaves; the outcome stores them. */
@Injectable()
export class RecipientContactIds {
  private readonly log = new Logger('RecipientContacts');

  constructor(private readonly bus: Bus) {}

  /** Returns those whose contacts could not be asked for; they wait. */
  async fill(messages: readonly StoredMessage[]): Promise<ReadonlySet<StoredMessage>> {
    const unknown = messages.filter(
      ({ contactId, projectId }) => contactId === null && projectId !== systemProjectId,
    );
    const waiting = await Promise.all(
      [...Map.groupBy(unknown, ({ projectId }) => projectId)].map(async ([projectId, some]) => {
        const ids = await this.idsOf(projectId, some);
        if (ids) for (const message of some) message.contactId = ids.get(message.to.email) ?? null;
        return ids ? [] : some;
      }),
    );
    return new Set(waiting.flat());
  }

  private async idsOf(
    projectId: string,
    messages: readonly StoredMessage[],
  ): Promise<Map<string, string> | null> {
    const recipients = new Map(
      messages.map(({ to, acceptedAt }) => [to.email, { email: to.email, acceptedAt }]),
    );
    try {
      const { contacts: found } = await this.bus.call(
        contacts.ensureRecipients,
        serviceCaller('sending', projectId),
        { recipients: [...recipients.values()] },
        { timeoutMs },
      );
      return new Map(found.map(({ email, id }) => [email, id]));
    } catch (error) {
      this.log.warn(`${messages.length} messages wait for their contacts: ${(error as Error).message}`);
      return null;
    }
  }
}
