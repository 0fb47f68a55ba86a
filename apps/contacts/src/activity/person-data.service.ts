import { Injectable } from '@nestjs/common';
import { contactNotFound, maxPersonRows, personData, serviceCaller, type PersonData } from '@posthorn/contracts';
import { Bus } from '@posthorn/messaging';
import { ConsentsRepository } from '../consents/consents.repository.js';
import { ContactsRepository } from '../contacts/contacts.repository.js';
import { activityOf, ContactHistoryRepository } from './contact-history.repository.js';
import { PersonDataReadModel } from './person-data.read-model.js';

/** Shorter than whoever asked waits, so that the answer "not right now" still reaches them. */
const askMs = 1_000;
const oneMore = maxPersonRows + 1;

/** All that is known of one person. Whoever reads it sees where a part has more than is shown. */
@Injectable()
export class PersonDataService {
  constructor(
    private readonly contacts: ContactsRepository,
    private readonly consents: ConsentsRepository,
    private readonly history: ContactHistoryRepository,
    private readonly known: PersonDataReadModel,
    private readonly bus: Bus,
  ) {}

  async get(projectId: string, id: string): Promise<PersonData> {
    const contact = await this.contacts.find(projectId, id);
    if (!contact) throw contactNotFound();
    const asked = { email: contact.email };
    const [{ emailsCut, ...mail }, parts] = await Promise.all([
      this.bus.call(personData.mail, serviceCaller('contacts', projectId), asked, { timeoutMs: askMs }),
      this.parts(projectId, id),
    ]);
    const { consents, events, memberships, segments, history, summaries } = parts;
    const isCut = {
      emails: emailsCut,
      consents: consents.hasMore,
      events: events.isCut,
      ...{ memberships: isMore(memberships), segments: isMore(segments), history: isMore(history), summaries: isMore(summaries) },
    };
    return {
      contact: contact.toContact(),
      ...mail,
      consents: consents.items,
      memberships: memberships.slice(0, maxPersonRows),
      segments: segments.slice(0, maxPersonRows),
      history: history.slice(0, maxPersonRows).map(activityOf),
      summaries: summaries.slice(0, maxPersonRows),
      events: events.rows,
      cut: Object.entries(isCut).flatMap(([part, cut]) => (cut ? [part] : [])),
    };
  }

  private async parts(projectId: string, id: string) {
    const [consents, memberships, segments, history, summaries, events] = await Promise.all([
      this.consents.page(projectId, id, { limit: maxPersonRows }),
      this.known.memberships(projectId, id, oneMore),
      this.known.segments(projectId, id, oneMore),
      this.history.page(projectId, { contactId: id, limit: oneMore }),
      this.known.summaries(projectId, id, oneMore),
      this.known.events(projectId, id, maxPersonRows),
    ]);
    return { consents, memberships, segments, history, summaries, events };
  }
}

const isMore = (rows: readonly object[]): boolean => rows.length > maxPersonRows;
