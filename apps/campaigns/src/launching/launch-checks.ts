import { Injectable } from '@nestjs/common';
import { audiences, campaignMail, campaignWithoutRecipients, isMjml, type Caller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Bus, CallFailed, type CallTime } from '@posthorn/messaging';
import { Unopened } from '../audiences/unopened.read-model.js';
import { insideVariant } from '../campaigns/campaign-faults.js';
import { audienceOf, topicOf } from '../campaigns/audience.js';
import type { CampaignRow } from '../campaigns/campaign.entity.js';
import { compileMs } from '../campaigns/references.js';
import type { LaunchedContent } from './launches.repository.js';

type OwnContent = Pick<
  CampaignRow,
  | 'id'
  | 'subject'
  | 'body'
  | 'templateId'
  | 'from'
  | 'scheduledFrom'
  | 'fromName'
  | 'audienceType'
  | 'listId'
  | 'replyTo'
  | 'emailCategory'
  | 'topicId'
>;

const requestTime = { timeoutShare: 0.7 };

@Injectable()
export class LaunchChecks {
  constructor(
    private readonly bus: Bus,
    private readonly unopened: Unopened,
  ) {}

  async check(caller: Caller, row: CampaignRow, time: CallTime = requestTime): Promise<LaunchedContent> {
    const [content] = await Promise.all([
      this.prepareContents(caller, row, time),
      this.refuseEmptyAudience(caller, row, time),
    ]);
    return content;
  }

  /** A condition may take longer for all contacts than the caller waits; then there is somebody, or the ledger stays empty. */
  private async refuseEmptyAudience(caller: Caller, row: CampaignRow, time: CallTime): Promise<void> {
    const topicId = topicOf(row);
    const audience = {
      ...audienceOf(row),
      subscribedOnly: row.emailCategory === 'MARKETING',
      ...(topicId ? { topicId } : {}),
    };
    const { hasMembers } = await this.bus
      .call(audiences.check, caller, audience, time)
      .catch((error: unknown) => {
        if (error instanceof CallFailed && error.kind === 'timeout') return { hasMembers: true };
        throw error;
      });
    const { projectId, resendOfId } = row;
    const isEmpty = !hasMembers || (resendOfId !== null && !(await this.unopened.any(projectId, resendOfId)));
    if (isEmpty) throw campaignWithoutRecipients();
  }

  /** Fixes the content, and that of each variant. One that is not used afterwards does no harm. */
  private async prepareContents(caller: Caller, row: CampaignRow, time: CallTime): Promise<LaunchedContent> {
    const [content, ...variants] = await Promise.all([
      this.prepareContent(caller, { ...row, ...row.variants?.[0] }, time),
      ...(row.variants ?? []).slice(1).map((variant, index) =>
        this.prepareContent(caller, { ...row, ...variant }, time).catch((error: unknown) => {
          throw insideVariant(error, index + 1);
        }),
      ),
    ]);
    const all = [content!, ...variants];
    return { ...content!, variantContents: row.variants ? all.map(({ contentId }) => contentId) : [] };
  }

  private async prepareContent(
    caller: Caller,
    row: OwnContent,
    time: CallTime,
  ): Promise<Omit<LaunchedContent, 'variantContents'>> {
    const { id: campaignId, subject, body, templateId, fromName, replyTo, emailCategory: category } = row;
    const listId = row.audienceType === 'LIST' ? row.listId : null;
    const topicId = topicOf(row);
    const draft = {
      subject,
      body,
      templateId,
      from: row.from ?? row.scheduledFrom,
      fromName,
      replyTo,
      category,
      listId,
      topicId,
    };
    const prepared = await this.bus.call(
      campaignMail.prepare,
      caller,
      { campaignId, contentId: newId(), ...draft },
      isMjml(row.body) ? { timeoutMs: Math.max(compileMs, time.timeoutMs ?? 0) } : time,
    );
    const { contentId, subject: shown, from, tracksOpens } = prepared;
    return { contentId, subject: shown, from, tracksOpens };
  }
}
