import { Injectable } from '@nestjs/common';
import {
  campaignMail,
  campaigns,
  campaignTestToStranger,
  contentMissing,
  templates,
  type AcceptSend,
  type Caller,
  type Campaign,
  type CampaignTest,
  type TestCampaign,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import { Accepting } from '../emails/accepting.js';
import { MembersRepository } from '../members/members.repository.js';
import { renderingTime } from '../templates/templates.routes.js';

const prefix = '[TEST] ';
const maxSubject = 998;

/** Sends one member of the project what the recipients of a campaign would get. It belongs to no campaign and counts nowhere. */
@Injectable()
export class CampaignTestsService {
  constructor(
    private readonly bus: Bus,
    private readonly members: MembersRepository,
    private readonly accepting: Accepting,
  ) {}

  async send(caller: Caller, id: string, { email }: TestCampaign): Promise<CampaignTest> {
    const campaign = await this.bus.call(campaigns.get, caller, { id });
    if (!(await this.members.hasAddress(caller.projectId, email))) throw campaignTestToStranger();
    const subject = await this.subjectOf(caller, campaign);
    const { html } = await this.bus.call(campaignMail.html, caller, { body: campaign.body }, renderingTime);
    const deadline = performance.now() + this.accepting.timeouts.sendMs();
    const message = messageOf({ ...campaign, body: html }, subject, email);
    const accepted = await this.accepting.accept(caller, message, deadline);
    return { id, emailId: accepted.emails[0]!.id, to: email };
  }

  private async subjectOf(caller: Caller, { subject, templateId }: Campaign): Promise<string> {
    const shown =
      subject ?? (templateId && (await this.bus.call(templates.get, caller, { id: templateId })).subject);
    if (!shown) throw contentMissing('subject');
    return `${prefix}${shown}`.slice(0, maxSubject);
  }
}

function messageOf(campaign: Campaign, subject: string, email: string): AcceptSend {
  const { from, fromName, body, templateId, replyTo, emailCategory: category } = campaign;
  return {
    recipients: [{ id: newId(), to: { email } }],
    subject,
    category,
    ...(from ? { from: { email: from, ...(fromName ? { name: fromName } : {}) } } : {}),
    ...(body ? { body } : {}),
    ...(templateId ? { template: templateId } : {}),
    ...(replyTo ? { replyTo: { email: replyTo } } : {}),
    tracking: { opens: false, clicks: false },
  };
}
