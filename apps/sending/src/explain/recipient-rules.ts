import { Injectable } from '@nestjs/common';
import type { EmailCategory, ExplainedCategory } from '@posthorn/contracts';
import { Simulator } from '../simulator/simulator.js';
import type { ExplainedAddress } from './explained.read-model.js';
import { instantText, suppressionTexts } from './sentences.js';

@Injectable()
export class RecipientRules {
  constructor(private readonly simulator: Simulator) {}

  verdict(
    { suppressionReason, suppressedSince, unsubscribedSince }: ExplainedAddress,
    category: EmailCategory,
  ): ExplainedCategory {
    if (suppressionReason && suppressedSince) {
      const reason = `The address is suppressed since ${instantText(suppressedSince)}: ${suppressionTexts[suppressionReason]}.`;
      return { category, wouldSend: false, reason, since: suppressedSince };
    }
    if (unsubscribedSince && category === 'MARKETING')
      return {
        category,
        wouldSend: false,
        reason: `The recipient has unsubscribed since ${instantText(unsubscribedSince)}.`,
        since: unsubscribedSince,
      };
    return { category, wouldSend: true, reason: 'Nothing keeps it from being sent.', since: null };
  }

  simulatorRefusal(recipient: string, from: string): string | null {
    return this.simulator.isFor(recipient)
      ? this.simulator.refusalOf({ recipient, from: { email: from } })
      : null;
  }
}
