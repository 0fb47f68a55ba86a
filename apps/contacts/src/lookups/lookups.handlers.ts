import { Controller } from '@nestjs/common';
import {
  contactLookups,
  type LookedUpContacts,
  type LookedUpEvents,
  type LookUpContacts,
  type LookUpEvents,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { LookupsRepository } from './lookups.repository.js';

@Controller()
export class LookupsHandlers {
  constructor(private readonly lookups: LookupsRepository) {}

  @Handles(contactLookups.byIds)
  async contacts({ caller, body }: Incoming<LookUpContacts>): Promise<LookedUpContacts> {
    return { contacts: await this.lookups.contacts(caller.projectId, body.ids) };
  }

  @Handles(contactLookups.events)
  async events({ caller, body }: Incoming<LookUpEvents>): Promise<LookedUpEvents> {
    return { events: await this.lookups.events(caller.projectId, body.ids) };
  }
}
