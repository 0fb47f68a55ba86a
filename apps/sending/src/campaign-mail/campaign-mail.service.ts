import { Injectable } from '@nestjs/common';
import {
  campaignContentUnknown,
  campaignMail,
  type CampaignBody,
  type CampaignHtml,
  type CampaignMailStateSet,
  type CheckCampaignMail,
  type CheckedCampaignMail,
  type HandedOverCampaignMail,
  type HandOverCampaignMail,
  type PrepareCampaign,
  type PreparedCampaign,
  type SetCampaignMailState,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { currentTraces, Metrics } from '@posthorn/telemetry';
import { emailsAccepted } from '../accepting/accepting.metrics.js';
import { SendingConfig } from '../config.js';
import { DeliveryWakeUp } from '../delivery/delivery-wake-up.js';
import { CampaignMailRepository } from './campaign-mail.repository.js';
import { CampaignPreparation } from './campaign-preparation.js';
import { CampaignStates } from './campaign-states.repository.js';

/** Takes over the mail of campaigns in batches; the campaigns service decides who gets it and when. */
@Injectable()
export class CampaignMailService {
  private readonly accepted;

  constructor(
    private readonly mail: CampaignMailRepository,
    private readonly states: CampaignStates,
    private readonly preparation: CampaignPreparation,
    private readonly wakeUp: DeliveryWakeUp,
    private readonly config: SendingConfig,
    metrics: Metrics,
  ) {
    this.accepted = metrics.counter(emailsAccepted);
  }

  @Handles(campaignMail.check)
  async check({ caller, body: draft }: Incoming<CheckCampaignMail>): Promise<CheckedCampaignMail> {
    return { isComplete: await this.preparation.check(caller, draft) };
  }

  @Handles(campaignMail.html)
  async html({ caller, body: { body } }: Incoming<CampaignBody>): Promise<CampaignHtml> {
    return { html: await this.preparation.htmlOf(caller.projectId, body) };
  }

  @Handles(campaignMail.prepare)
  async prepare({ caller, body: requested }: Incoming<PrepareCampaign>): Promise<PreparedCampaign> {
    const content = await this.preparation.prepare(caller, requested);
    await this.mail.addContent(content);
    const { id: contentId, fromEmail: from, subject, trackOpens: tracksOpens } = content;
    return { contentId, from, subject, tracksOpens };
  }

  @Handles(campaignMail.handOver)
  async handOver({
    caller: { projectId },
    body: batch,
  }: Incoming<HandOverCampaignMail>): Promise<HandedOverCampaignMail> {
    const { accepted, isKnown, erased } = await this.mail.handOver(projectId, batch, currentTraces());
    if (!isKnown) throw campaignContentUnknown();
    this.accepted.inc(accepted);
    this.wakeUp.wake();
    return { accepted, erased, pacePerSecond: this.config.ratePerSecond };
  }

  @Handles(campaignMail.setState)
  async setState({
    caller: { projectId },
    body: requested,
  }: Incoming<SetCampaignMailState>): Promise<CampaignMailStateSet> {
    return { state: await this.states.put(projectId, requested) };
  }
}
