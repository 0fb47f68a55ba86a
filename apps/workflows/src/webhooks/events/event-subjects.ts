import { Injectable } from '@nestjs/common';
import {
  campaigns,
  contactLookups,
  DomainError,
  maxLookedUp,
  memberships,
  serviceCaller,
  type Campaign,
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

  /** By membership; none of those that were confirmed meanwhile. */
  async confirmUrls(projectId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { urls } = await this.bus.call(memberships.confirmUrls, this.caller(projectId), {
      ids: [...new Set(ids)],
    });
    return new Map(urls.map(({ membershipId, confirmUrl }) => [membershipId, confirmUrl]));
  }

  /** Few: a campaign is sent once. One that was deleted meanwhile makes no call. */
  async sentCampaigns(event: DomainEvent<CampaignEvent>): Promise<EventToCall[]> {
    const ids = [...new Set(event.items.map(({ campaignId }) => campaignId))];
    const found = await Promise.all(ids.map((id) => this.campaign(event.projectId, id)));
    const known = new Map(ids.map((id, index) => [id, found[index]]));
    return event.items.flatMap(({ campaignId, at }, index) => {
      const campaign = known.get(campaignId);
      if (!campaign) return [];
      const data = { id: campaignId, name: campaign.name, stats: campaign.stats };
      return { id: idOfItem(event, index), type: 'campaign.sent', contactId: null, at, data };
    });
  }

  private async campaign(projectId: string, id: string): Promise<Campaign | null> {
    try {
      return await this.bus.call(campaigns.get, this.caller(projectId), { id });
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'not_found') return null;
      throw error;
    }
  }

  private caller(projectId: string) {
    return serviceCaller('workflows', projectId);
  }
}
