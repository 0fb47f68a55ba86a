import { Injectable } from '@nestjs/common';
import { contactLookups, maxLookedUp, serviceCaller, type Contact, projects } from '@posthorn/contracts';
import { TtlCache } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';

/** Contacts and custom events of executions, many with one call. */
@Injectable()
export class People {
  constructor(private readonly bus: Bus) {}

  async byIds(projectId: string, ids: readonly string[]): Promise<Map<string, Contact>> {
    const found = await this.inParts(ids, async (part) => {
      const { contacts } = await this.bus.call(contactLookups.byIds, callerOf(projectId), { ids: part });
      return contacts;
    });
    return new Map(found.map((contact) => [contact.id, contact]));
  }

  /** Payloads by the id of the event; those that are no longer retained are missing. */
  async eventData(projectId: string, ids: readonly string[]): Promise<Map<string, Record<string, unknown>>> {
    const found = await this.inParts(ids, async (part) => {
      const { events } = await this.bus.call(contactLookups.events, callerOf(projectId), { ids: part });
      return events;
    });
    return new Map(found.map(({ id, payload }) => [id, payload]));
  }

  private async inParts<Item>(
    ids: readonly string[],
    lookUp: (part: string[]) => Promise<Item[]>,
  ): Promise<Item[]> {
    const distinct = [...new Set(ids)];
    const found: Item[] = [];
    for (let from = 0; from < distinct.length; from += maxLookedUp)
      found.push(...(await lookUp(distinct.slice(from, from + maxLookedUp))));
    return found;
  }
}

const callerOf = (projectId: string) => serviceCaller('workflows', projectId);

/** Where a contact names no time zone of its own. */
@Injectable()
export class ProjectZones {
  private readonly zones = new TtlCache((projectId) => this.read(projectId!));

  constructor(private readonly bus: Bus) {}

  of(projectId: string): Promise<string> {
    return this.zones.of(projectId);
  }

  private async read(projectId: string): Promise<string> {
    const caller = serviceCaller('workflows', projectId);
    const { timeZone = 'UTC' } = await this.bus.call(projects.get, caller, { id: projectId });
    return timeZone;
  }
}
