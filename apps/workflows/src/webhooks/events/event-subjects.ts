import { Injectable } from '@nestjs/common';
import {
  campaigns,
  contactLookups,
  maxLookedUp,
  serviceCaller,
  type CampaignEvent,
  type Contact,
} from '@posthorn/contracts';
import { Bus, type DomainEvent } from '@posthorn/messaging';
import { idOfItem } from '../../events/event-ids.js';
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
  async sentCampaigns(event: DomainEvent<CampaignEvent>): Promise<EventToCall[]> {
    const calls: EventToCall[] = [];
    for (const [index, { campaignId, at }] of event.items.entries()) {
      const { name, stats } = await this.bus.call(campaigns.get, this.caller(event.projectId), {
        id: campaignId,
      });
      const data = { id: campaignId, name, stats };
      calls.push({ id: idOfItem(event, index), type: 'campaign.sent', contactId: null, at, data });
    }
    return calls;
  }

  private caller(projectId: string) {
    return serviceCaller('workflows', projectId);
  }
}
