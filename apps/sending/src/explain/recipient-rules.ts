import { Injectable } from '@nestjs/common';
import type { EmailCategory, ExplainedCategory, PersonOptOut, Suppression } from '@posthorn/contracts';
import { OptOutsRepository } from '../opt-outs/opt-outs.repository.js';
import { Simulator } from '../simulator/simulator.js';
import { SuppressionsRepository } from '../suppressions/suppressions.repository.js';
import { instantText, suppressionTexts } from './sentences.js';

export interface KnownRecipient {
  suppression: Suppression | null;
  optOut: PersonOptOut | null;
}

/** What the hand-off would decide about an address. */
@Injectable()
export class RecipientRules {
  constructor(
    private readonly suppressions: SuppressionsRepository,
    private readonly optOuts: OptOutsRepository,
    private readonly simulator: Simulator,
  ) {}

  async known(projectId: string, email: string): Promise<KnownRecipient> {
    const [suppression, optOut] = await Promise.all([
      this.suppressions.find(projectId, email),
      this.optOuts.find(projectId, email),
    ]);
    return { suppression, optOut: optOut?.optedOut ? optOut : null };
  }

  verdict({ suppression, optOut }: KnownRecipient, category: EmailCategory): ExplainedCategory {
    if (suppression) {
      const reason = `The address is suppressed since ${instantText(suppression.createdAt)}: ${suppressionTexts[suppression.reason]}.`;
      return { category, wouldSend: false, reason, since: suppression.createdAt };
    }
    if (optOut && category === 'MARKETING')
      return {
        category,
        wouldSend: false,
        reason: `The recipient has unsubscribed since ${instantText(optOut.since)}.`,
        since: optOut.since,
      };
    return { category, wouldSend: true, reason: 'Nothing keeps it from being sent.', since: null };
  }

  /** Why the simulator would not take a message from this sender, or null. */
  simulatorRefusal(recipient: string, from: string): string | null {
    return this.simulator.isFor(recipient)
      ? this.simulator.refusalOf({ recipient, from: { email: from } })
      : null;
  }
}
