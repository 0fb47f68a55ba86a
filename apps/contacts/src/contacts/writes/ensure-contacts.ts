import { Injectable } from '@nestjs/common';
import { contacts, type EnsureContacts, type EnsuredContacts } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { bisect, Gatherer, Handles, answerEach, type Incoming } from '@posthorn/messaging';
import { keyOf, originOf, type ContactWrite } from './contact-write.js';
import { ContactWrites } from './contact-writes.js';
import { ContactsRepository, type ContactKey } from '../contacts.repository.js';

interface Lookup {
  projectId: string;
  emails: string[];
}

const maxGathered = 64;

/** A recipient has not subscribed (docs/api-decisions.md §3). */
export const recipientContact = ({ projectId, email }: ContactKey): ContactWrite => ({
  projectId,
  email,
  subscribedWhenNew: false,
  only: 'NEW',
  origin: originOf(undefined, 'SEND'),
});

/** Returns the ids of the contacts of some addresses, and creates the missing ones: one lookup and one insert for all calls that wait. */
@Injectable()
export class EnsureContactsService {
  private readonly gatherer = new Gatherer<Lookup, EnsuredContacts>({
    flush: (lookups) =>
      bisect<Lookup, EnsuredContacts | Error>(
        lookups,
        (part) => this.ensureAll(part),
        (part, error) => part.map(() => error),
      ),
    maxItems: maxGathered,
  });

  constructor(
    private readonly contacts: ContactsRepository,
    private readonly writes: ContactWrites,
    private readonly clock: DatabaseClock,
  ) {}

  @Handles(contacts.ensure)
  ensure(calls: Incoming<EnsureContacts>[]): Promise<(EnsuredContacts | Error)[]> {
    return answerEach(calls, (call) => this.ensureOne(call));
  }

  private async ensureOne({ caller, body, deadline }: Incoming<EnsureContacts>): Promise<EnsuredContacts> {
    await this.clock.refuseLate(deadline);
    return this.gatherer.submit({ projectId: caller.projectId, emails: body.emails });
  }

  private async ensureAll(lookups: Lookup[]): Promise<EnsuredContacts[]> {
    const ids = await this.idsOf(
      lookups.flatMap(({ projectId, emails }) => emails.map((email) => ({ projectId, email }))),
    );
    return lookups.map(({ projectId, emails }) => ({
      contacts: emails.map((email) => ({ id: ids.get(keyOf({ projectId, email }))!, email })),
    }));
  }

  private async idsOf(keys: ContactKey[]): Promise<Map<string, string>> {
    const ids = new Map<string, string>();
    const remember = (rows: (ContactKey & { id: string })[]) =>
      rows.forEach((row) => ids.set(keyOf(row), row.id));
    const missing = () => keys.filter((key) => !ids.has(keyOf(key)));
    // A contact that somebody else creates between the lookup and the insert is found by the next lookup.
    for (let open = keys; open.length > 0; open = missing()) {
      remember(await this.contacts.idsOf(open));
      if (missing().length > 0) remember(await this.create(missing()));
    }
    return ids;
  }

  private async create(keys: ContactKey[]): Promise<(ContactKey & { id: string })[]> {
    const distinct = new Map(keys.map((key) => [keyOf(key), key]));
    const written = await this.writes.write([...distinct.values()].map(recipientContact));
    return written.flatMap(({ contact }) => contact ?? []);
  }
}
