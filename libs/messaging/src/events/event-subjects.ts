import {
  campaigns,
  contactLookups,
  DomainError,
  maxLookedUp,
  serviceCaller,
  type Caller,
  type Campaign,
  type Contact,
  type ServiceName,
} from '@posthorn/contracts';
import type { Bus } from '../calls/bus.js';

/** What events are about, where they say too little; for services that tell others of them. Whatever was deleted meanwhile is missing. */
export class EventSubjects {
  constructor(
    private readonly bus: Bus,
    private readonly service: ServiceName,
  ) {}

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
  async campaigns(projectId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Campaign>> {
    const distinct = [...new Set(ids)];
    const found = await Promise.all(distinct.map((id) => this.campaign(this.caller(projectId), id)));
    return new Map(found.flatMap((campaign) => (campaign ? [[campaign.id, campaign] as const] : [])));
  }

  private async campaign(caller: Caller, id: string): Promise<Campaign | null> {
    try {
      return await this.bus.call(campaigns.get, caller, { id });
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'not_found') return null;
      throw error;
    }
  }

  private caller(projectId: string): Caller {
    return serviceCaller(this.service, projectId);
  }
}
