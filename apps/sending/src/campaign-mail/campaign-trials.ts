import { Injectable } from '@nestjs/common';
import {
  contacts,
  campaignMail,
  type Caller,
  type TriedCampaignMail,
  type TriedRecipient,
  type TryCampaignMail,
} from '@posthorn/contracts';
import { Bus, Handles, type Incoming } from '@posthorn/messaging';
import { SendingConfig } from '../config.js';
import { Rendering } from '../rendering/rendering.js';
import type { PreviewSource } from '../rendering/preview.js';
import { sampleLinks } from '../templates/previews.service.js';
import { BlockedRecipients } from './blocked-recipients.read-model.js';
import { CampaignPreparation, type CampaignDraft } from './campaign-preparation.js';
import { CampaignTexts } from './campaign-texts.js';

type Variables = Record<string, unknown>;

@Injectable()
export class CampaignTrials {
  constructor(
    private readonly preparation: CampaignPreparation,
    private readonly blocked: BlockedRecipients,
    private readonly campaignTexts: CampaignTexts,
    private readonly rendering: Rendering,
    private readonly bus: Bus,
    private readonly config: SendingConfig,
  ) {}

  @Handles(campaignMail.tryOut)
  async tryOut({ caller, body: request, deadline }: Incoming<TryCampaignMail>): Promise<TriedCampaignMail> {
    const { recipients, samples, category } = request;
    const { projectId } = caller;
    const draft = await this.preparation.draftOf(caller, request);
    const blocked = await this.blocked.among(projectId, recipients, category);
    const reached = recipients.filter(({ contactId }) => !blocked.has(contactId));
    const [source, variables] = [
      await this.campaignTexts.of(draft),
      await this.variablesOf(caller, reached, draft),
    ];
    const owner = { projectId, deadline };
    const of = (recipient: TriedRecipient): PreviewSource => ({
      ...source,
      variables: variables.get(recipient.email)!,
    });
    const tried = await Promise.all(
      reached.map(async (recipient) => ({
        ...recipient,
        message: await this.rendering.failureOf(owner, of(recipient)),
      })),
    );
    const working = tried.filter(({ message }) => message === null).slice(0, samples);
    return {
      from: draft.from.email,
      pacePerSecond: this.config.ratePerSecond,
      suppressed: blocked.by('suppressed'),
      unsubscribed: blocked.by('unsubscribed'),
      capped: blocked.by('frequency_cap'),
      failures: tried.flatMap(({ message, ...recipient }) =>
        message === null ? [] : [{ ...recipient, message }],
      ),
      samples: await Promise.all(
        working.map(async ({ message: _, ...recipient }) => ({
          ...recipient,
          rendered: await this.rendering.preview(owner, of(recipient)),
        })),
      ),
    };
  }

  private async variablesOf(
    caller: Caller,
    recipients: readonly TriedRecipient[],
    { project: { name } }: CampaignDraft,
  ): Promise<Map<string, Variables>> {
    if (recipients.length === 0) return new Map();
    const emails = [...new Set(recipients.map(({ email }) => email))];
    const { contacts: found } = await this.bus.call(contacts.variables, caller, { emails });
    const fields = new Map(found.map(({ email, id, customFields }) => [email, { id, customFields }]));
    return new Map(
      emails.map((email) => {
        const { id, customFields = {} } = fields.get(email) ?? {};
        const contact = { email, ...(id ? { id } : {}), data: customFields };
        return [email, { ...customFields, contact, project: { name }, ...sampleLinks }];
      }),
    );
  }
}
