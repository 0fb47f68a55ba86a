import { Injectable } from '@nestjs/common';
import {
  emailCategories,
  emailNotFound,
  type AcceptEmails,
  type Caller,
  type EmailCategory,
  type EmailExplanation,
  type ExplainedCategory,
  type ExplainedCheck,
  type RecipientExplanation,
  type SendExplanation,
} from '@posthorn/contracts';
import { PrepareSend } from '../accepting/prepare-send.js';
import { AllowancesRepository } from '../allowances/allowances.repository.js';
import { OptOutsRepository } from '../opt-outs/opt-outs.repository.js';
import { ProjectStates } from '../projects/project-states.read-model.js';
import { SuppressionsRepository } from '../suppressions/suppressions.repository.js';
import { allowanceText } from './explain-checks.js';
import { explainEmail } from './explain-email.js';
import { ExplainedReadModel } from './explained.read-model.js';
import { instantText, suppressionTexts } from './sentences.js';

/** Says in words what is recorded, and what the rules of the hand-off would decide. */
@Injectable()
export class ExplanationsService {
  constructor(
    private readonly recorded: ExplainedReadModel,
    private readonly preparation: PrepareSend,
    private readonly suppressions: SuppressionsRepository,
    private readonly optOuts: OptOutsRepository,
    private readonly allowances: AllowancesRepository,
    private readonly projects: ProjectStates,
  ) {}

  async email(projectId: string, id: string): Promise<EmailExplanation> {
    const row = await this.recorded.row(projectId, id);
    if (!row) throw emailNotFound();
    const [history, deliveries] = await Promise.all([
      this.recorded.history(projectId, id),
      this.recorded.deliveries(row),
    ]);
    return explainEmail({ row, history, deliveries });
  }

  /** Prepared as for an accept, so that the same requests are refused with the same errors. */
  async send(caller: Caller, send: AcceptEmails): Promise<SendExplanation> {
    const { projectId } = caller;
    const { emails, from, options } = await this.preparation.prepare(caller, send, null);
    const category = options.category ?? 'TRANSACTIONAL';
    const addresses = [
      ...new Set([...emails.map(({ email }) => email), ...(options.additionalRecipients ?? [])]),
    ];
    const recipients = await Promise.all(
      addresses.map(async (email) => {
        const { wouldSend, reason } = await this.categoryOf(projectId, email, category);
        return { email, wouldSend, reason };
      }),
    );
    const checks = await this.projectChecks(projectId, from.email, category);
    const failed = checks.filter(({ outcome }) => outcome !== 'PASSED');
    const count = recipients.filter(({ wouldSend }) => wouldSend).length;
    return {
      accepted: true,
      summary: [
        `The request would be accepted as ${category.toLowerCase()} mail.`,
        ...failed.map(({ detail }) => `${detail}.`),
        failed.length > 0 ? '' : `It would be sent to ${count} of ${recipients.length} recipients.`,
      ]
        .filter(Boolean)
        .join(' '),
      checks,
      recipients,
    };
  }

  async recipient(projectId: string, email: string): Promise<RecipientExplanation> {
    const [suppression, optOut] = await Promise.all([
      this.suppressions.find(projectId, email),
      this.optOuts.find(projectId, email),
    ]);
    const categories = await Promise.all(
      emailCategories.map((category) => this.categoryOf(projectId, email, category)),
    );
    const sent = categories
      .filter(({ wouldSend }) => wouldSend)
      .map(({ category }) => category.toLowerCase());
    return {
      email,
      summary:
        sent.length === categories.length
          ? 'Mail of every category is sent to this address.'
          : sent.length === 0
            ? `No mail is sent to this address. ${categories[0]!.reason}`
            : `Only ${sent.join(' and ')} mail is sent to this address. ${categories.find(({ wouldSend }) => !wouldSend)!.reason}`,
      suppressionReason: suppression?.reason ?? null,
      suppressedSince: suppression?.createdAt ?? null,
      unsubscribedSince: optOut?.optedOut ? optOut.since : null,
      categories,
    };
  }

  private async categoryOf(
    projectId: string,
    email: string,
    category: EmailCategory,
  ): Promise<ExplainedCategory> {
    const suppression = await this.suppressions.find(projectId, email);
    if (suppression) {
      const reason = `The address is suppressed since ${instantText(suppression.createdAt)}: ${suppressionTexts[suppression.reason]}.`;
      return { category, wouldSend: false, reason, since: suppression.createdAt };
    }
    const optOut = category === 'MARKETING' ? await this.optOuts.find(projectId, email) : null;
    if (optOut?.optedOut)
      return {
        category,
        wouldSend: false,
        reason: `The recipient has unsubscribed since ${instantText(optOut.since)}.`,
        since: optOut.since,
      };
    return { category, wouldSend: true, reason: 'Nothing keeps it from being sent.', since: null };
  }

  private async projectChecks(
    projectId: string,
    from: string,
    category: EmailCategory,
  ): Promise<ExplainedCheck[]> {
    const [isEnabled, available] = await Promise.all([
      this.projects.isEnabled(projectId),
      this.allowances.available(projectId, category),
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
        outcome: available !== null && available <= 0 ? 'FAILED' : 'PASSED',
        detail: allowanceText(available),
      },
    ];
  }
}
