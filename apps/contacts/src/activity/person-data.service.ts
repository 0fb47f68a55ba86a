import { Injectable } from '@nestjs/common';
import {
  contactNotFound,
  maxPersonRows,
  type AskPersonPart,
  type PagePosition,
  type PersonPart,
  type PersonPartPage,
  type PersonPlace,
} from '@posthorn/contracts';
import { instantOf } from '@posthorn/database';
import { ConsentsRepository } from '../consents/consents.repository.js';
import { ContactsRepository } from '../contacts/contacts.repository.js';
import { activityOf, ContactHistoryRepository } from './contact-history.repository.js';
import { PersonDataReadModel } from './person-data.read-model.js';

interface Asked {
  projectId: string;
  contactId: string;
  after?: PersonPlace;
}

const oneMore = maxPersonRows + 1;

/** What is known of one person, a part at a time and page by page: nobody knows how much that is. */
@Injectable()
export class PersonDataService {
  private readonly parts: Record<PersonPart, (asked: Asked) => Promise<PersonPartPage>> = {
    consents: (asked) => this.consentsOf(asked),
    memberships: (asked) => this.membershipsOf(asked),
    segments: (asked) => this.segmentsOf(asked),
    history: (asked) => this.historyOf(asked),
    summaries: (asked) => this.summariesOf(asked),
    events: (asked) => this.eventsOf(asked),
  };

  constructor(
    private readonly contacts: ContactsRepository,
    private readonly consents: ConsentsRepository,
    private readonly history: ContactHistoryRepository,
    private readonly known: PersonDataReadModel,
  ) {}

  async part(projectId: string, { id, part, after }: AskPersonPart): Promise<PersonPartPage> {
    if (!(await this.contacts.find(projectId, id))) throw contactNotFound();
    return this.parts[part]({ projectId, contactId: id, after });
  }

  private async consentsOf({ projectId, contactId, after }: Asked): Promise<PersonPartPage> {
    const { items, next } = await this.consents.page(projectId, contactId, { limit: maxPersonRows, after: after?.position });
    return { consents: items, next: next && { position: next } };
  }

  private async membershipsOf({ projectId, contactId, after }: Asked): Promise<PersonPartPage> {
    const rows = await this.known.memberships(projectId, { contactId, limit: oneMore, after: after?.position });
    const memberships = rows.slice(0, maxPersonRows);
    return { memberships, next: placeBehind(rows, ({ createdAt: at, id }) => ({ at, id })) };
  }

  private async segmentsOf({ projectId, contactId, after }: Asked): Promise<PersonPartPage> {
    const rows = await this.known.segments(projectId, { contactId, limit: oneMore, after: after?.position });
    const segments = rows.slice(0, maxPersonRows);
    return { segments, next: placeBehind(rows, ({ since: at, segmentId: id }) => ({ at, id })) };
  }

  private async historyOf({ projectId, contactId, after }: Asked): Promise<PersonPartPage> {
    const rows = await this.history.page(projectId, { contactId, limit: oneMore, after: after?.position });
    return { history: rows.slice(0, maxPersonRows).map(activityOf), next: placeBehind(rows, byId) };
  }

  private async summariesOf({ projectId, contactId, after }: Asked): Promise<PersonPartPage> {
    const rows = await this.known.summaries(projectId, { contactId, limit: oneMore, after: after?.name });
    const isMore = rows.filter((row) => row.of === 'EVENT').length > maxPersonRows;
    const summaries = isMore ? rows.slice(0, -1) : rows;
    return { summaries, next: isMore ? { name: summaries.at(-1)!.name } : null };
  }

  private async eventsOf({ projectId, contactId, after }: Asked): Promise<PersonPartPage> {
    const { rows, isCut } = await this.known.events(projectId, { contactId, limit: maxPersonRows, after: after?.position });
    return { events: rows, next: isCut ? { position: byId(rows.at(-1)!) } : null };
  }
}

/** Their ids stand in the order of their instants. */
const byId = ({ id }: { id: string }): PagePosition => ({ at: instantOf(id), id });

/** Of one row more than a page shows. */
const placeBehind = <Row>(rows: readonly Row[], place: (row: Row) => PagePosition): PersonPlace | null =>
  rows.length > maxPersonRows ? { position: place(rows[maxPersonRows - 1]!) } : null;
