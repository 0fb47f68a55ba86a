import { Injectable } from '@nestjs/common';
import {
  emailCategories,
  emailNotFound,
  explanations,
  type AcceptSend,
  type EmailCategory,
  type EmailExplanation,
  type ExplainedCategory,
  type ExplainedCheck,
  type ExplainedRecipient,
  type RecipientExplanation,
  type SendExplanation,
  type EmailId,
  type ExplainRecipient,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { PrepareSend } from '../accepting/prepare-send.js';
import { UsageRepository } from '../allowances/usage.repository.js';
import { ProjectStates } from '../projects/project-states.read-model.js';
import { allowanceOutcome, allowanceText } from './explain-checks.js';
import { explainEmail } from './explain-email.js';
import { ExplainedReadModel, type ExplainedAddress } from './explained.read-model.js';
import { Simulator } from '../simulator/simulator.js';
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

@Injectable()
export class ExplanationsService {
  constructor(
    private readonly recorded: ExplainedReadModel,
    private readonly preparation: PrepareSend,
    private readonly recipients: RecipientRules,
    private readonly usage: UsageRepository,
    private readonly projects: ProjectStates,
  ) {}

  @Handles(explanations.email)
  async email({ caller: { projectId }, body: { id } }: Incoming<EmailId>): Promise<EmailExplanation> {
    const [row, history, recipients] = await Promise.all([
      this.recorded.row(projectId, id),
      this.recorded.history(projectId, id),
      this.recorded.recipients(projectId, id),
    ]);
    if (!row) throw emailNotFound();
    return explainEmail({ row, history, deliveries: await this.recorded.deliveries(row, recipients) });
  }

  /** Prepared as for an accept, so that the same requests are refused with the same errors. */
  @Handles(explanations.send)
  async send({ caller, body: send }: Incoming<AcceptSend>): Promise<SendExplanation> {
    const { projectId } = caller;
    const { emails, from, options } = await this.preparation.prepare(caller, send, null);
    const category = options.category ?? 'TRANSACTIONAL';
    const addresses = [...emails.map(({ email }) => email), ...(options.additionalRecipients ?? [])];
    const known = await this.recorded.addresses(projectId, addresses);
    const explained = addresses.map((email, index) => ({
      email,
      ...this.verdictOf({ email, from: from.email, category }, known[index]!),
    }));
    const main = explained.slice(0, emails.length);
    const copies = explained.slice(emails.length);
    const recipients = [...main, ...withoutOrphans(copies, main)];
    const checks = await this.projectChecks(projectId, from.email);
    const failed = checks.filter(({ outcome }) => outcome !== 'PASSED');
    const count = recipients.filter(({ wouldSend }) => wouldSend).length;
    const sentences = [
      `The request would be accepted as ${category.toLowerCase()} mail.`,
      ...failed.map(({ detail }) => `${detail}.`),
      ...(failed.length > 0 ? [] : [`It would be sent to ${count} of ${recipients.length} recipients.`]),
    ];
    return { accepted: true, summary: sentences.join(' '), checks, recipients };
  }

  @Handles(explanations.recipient)
  async recipient({
    caller: { projectId },
    body: { email },
  }: Incoming<ExplainRecipient>): Promise<RecipientExplanation> {
    const [known] = await this.recorded.addresses(projectId, [email]);
    const categories = emailCategories.map((category) => this.recipients.verdict(known!, category));
    return {
      email,
      summary: summaryOf(categories),
      ...known!,
      categories,
    };
  }

  private verdictOf(
    { email, from, category }: Recipient,
    known: ExplainedAddress,
  ): Omit<ExplainedRecipient, 'email'> {
    const refusal = this.recipients.simulatorRefusal(email, from);
    if (refusal) return { wouldSend: false, reason: refusal };
    const { wouldSend, reason } = this.recipients.verdict(known, category);
    return { wouldSend, reason };
  }

  private async projectChecks(projectId: string, from: string): Promise<ExplainedCheck[]> {
    const [isEnabled, allowed] = await Promise.all([
      this.projects.isEnabled(projectId),
      this.usage.allowed(projectId, 'TRANSACTIONAL'),
    ]);
    return [
      { name: 'sender', outcome: 'PASSED', detail: `${from} may send for this project` },
      {
        name: 'project',
        outcome: isEnabled ? 'PASSED' : 'WAITING',
        detail: isEnabled
          ? 'The project is enabled'
          : 'The project is disabled, and its mail waits for a day at most',
      },
      {
        name: 'allowance',
        outcome: allowanceOutcome(allowed),
        detail: allowanceText(allowed),
      },
    ];
  }
}

interface Recipient {
  email: string;
  from: string;
  category: EmailCategory;
}

/** A copy is sent only with the message of a main recipient. */
const withoutOrphans = (copies: ExplainedRecipient[], main: ExplainedRecipient[]): ExplainedRecipient[] =>
  main.some(({ wouldSend }) => wouldSend)
    ? copies
    : copies.map(({ email }) => ({
        email,
        wouldSend: false,
        reason: 'Copies are not sent, because the main recipient gets nothing.',
      }));

function summaryOf(categories: readonly ExplainedCategory[]): string {
  const sent = categories.filter(({ wouldSend }) => wouldSend).map(({ category }) => category.toLowerCase());
  const refused = categories.find(({ wouldSend }) => !wouldSend);
  if (!refused) return 'Mail of every category is sent to this address.';
  return sent.length === 0
    ? `No mail is sent to this address. ${refused.reason}`
    : `Only ${sent.join(' and ')} mail is sent to this address. ${refused.reason}`;
}
