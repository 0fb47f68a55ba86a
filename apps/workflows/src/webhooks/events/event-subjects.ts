import { Injectable } from '@nestjs/common';
import {
  campaigns,
  contactLookups,
  maxLookedUp,
  serviceCaller,
  type CampaignEvent,
  type Contact,
} from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import type { EventToCall } from '../calls/webhook-calls.repository.js';

/** What events are about, where they say too little. */
@Injectable()
export class EventSubjects {
  constructor(private readonly bus: Bus) {}

  async contacts(projectId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Contact>> {
    const distinct = [...new Set(ids)];
    const known = new Map<string, Contact>();
    for (let from = 0; from < distinct.length; from += maxLookedUp) {
      const asked = { ids: distinct.slice(from, from + maxLookedUp) };
      const found = await this.bus.call(contactLookups.byIds, this.caller(projectId), asked);
      for (const contact of found.contacts) known.set(contact.id, { ...contact, projectId });
    }
    return known;
  }

  /** Few: a campaign is sent once. */
  async sentCampaigns(projectId: string, items: readonly CampaignEvent[]): Promise<EventToCall[]> {
    const calls: EventToCall[] = [];
    for (const { campaignId: id, at } of items) {
      const { name, stats } = await this.bus.call(campaigns.get, this.caller(projectId), { id });
      calls.push({ type: 'campaign.sent', contactId: null, at, data: { id, name, stats } });
    }
    return calls;
  }

  private caller(projectId: string) {
    return serviceCaller('workflows', projectId);
  }
}
