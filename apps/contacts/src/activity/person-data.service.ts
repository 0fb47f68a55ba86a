import { Injectable } from '@nestjs/common';
import {
  maxPersonRows,
  personData,
  type GetPersonPart,
  type PagePosition,
  type PersonPart,
  type PersonPartPage,
  type PersonPosition,
} from '@posthorn/contracts';
import { instantOf } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { ConsentsRepository } from '../consents/consents.repository.js';
import { ContactsRepository } from '../contacts/contacts.repository.js';
import { activityOf, ContactHistoryRepository } from './contact-history.repository.js';
import { PersonDataReadModel } from './person-data.read-model.js';

interface Requested {
  projectId: string;
  contactId: string;
  after?: PersonPosition;
}

const oneMore = maxPersonRows + 1;

/** The personal data of one contact, part by part and in pages, because its size is unknown. */
@Injectable()
export class PersonDataService {
  private readonly parts: Record<PersonPart, (requested: Requested) => Promise<PersonPartPage>> = {
    consents: (requested) => this.consentsOf(requested),
    memberships: (requested) => this.membershipsOf(requested),
    topics: (requested) => this.topicsOf(requested),
    segments: (requested) => this.segmentsOf(requested),
    history: (requested) => this.historyOf(requested),
    summaries: (requested) => this.summariesOf(requested),
    events: (requested) => this.eventsOf(requested),
  };

  constructor(
    private readonly contacts: ContactsRepository,
    private readonly consents: ConsentsRepository,
    private readonly history: ContactHistoryRepository,
    private readonly known: PersonDataReadModel,
  ) {}

  @Handles(personData.part)
  async part({
    caller: { projectId },
    body: { id, part, after },
  }: Incoming<GetPersonPart>): Promise<PersonPartPage> {
    await this.contacts.findOrFail(projectId, id);
    return this.parts[part]({ projectId, contactId: id, after });
  }

  private async consentsOf({ projectId, contactId, after }: Requested): Promise<PersonPartPage> {
    const { items, next } = await this.consents.page(projectId, contactId, {
      limit: maxPersonRows,
      after: after?.position,
    });
    return { consents: items, next: next && { position: next } };
  }

  private async membershipsOf({ projectId, contactId, after }: Requested): Promise<PersonPartPage> {
    const rows = await this.known.memberships(projectId, {
      contactId,
      limit: oneMore,
      after: after?.position,
    });
    const memberships = rows.slice(0, maxPersonRows);
    return { memberships, next: positionAfter(rows, ({ createdAt: at, id }) => ({ at, id })) };
  }

  /** As few as a project has topics. */
  private async topicsOf({ projectId, contactId }: Requested): Promise<PersonPartPage> {
    return { topics: await this.known.topics(projectId, contactId), next: null };
  }

  private async segmentsOf({ projectId, contactId, after }: Requested): Promise<PersonPartPage> {
    const rows = await this.known.segments(projectId, { contactId, limit: oneMore, after: after?.position });
    const segments = rows.slice(0, maxPersonRows);
    return { segments, next: positionAfter(rows, ({ since: at, segmentId: id }) => ({ at, id })) };
  }

  private async historyOf({ projectId, contactId, after }: Requested): Promise<PersonPartPage> {
    const rows = await this.history.page(projectId, { contactId, limit: oneMore, after: after?.position });
    return { history: rows.slice(0, maxPersonRows).map(activityOf), next: positionAfter(rows, byId) };
  }

  private async summariesOf({ projectId, contactId, after }: Requested): Promise<PersonPartPage> {
    const rows = await this.known.summaries(projectId, { contactId, limit: oneMore, after: after?.name });
    const isMore = rows.filter((row) => row.of === 'EVENT').length > maxPersonRows;
    const summaries = isMore ? rows.slice(0, -1) : rows;
    return { summaries, next: isMore ? { name: summaries.at(-1)!.name } : null };
  }

  private async eventsOf({ projectId, contactId, after }: Requested): Promise<PersonPartPage> {
    const { rows, isCut } = await this.known.events(projectId, {
      contactId,
      limit: maxPersonRows,
      after: after?.position,
    });
    return { events: rows, next: isCut ? { position: byId(rows.at(-1)!) } : null };
  }
}

const byId = ({ id }: { id: string }): PagePosition => ({ at: instantOf(id), id });

const positionAfter = <Row>(
  rows: readonly Row[],
  positionOf: (row: Row) => PagePosition,
): PersonPosition | null =>
  rows.length > maxPersonRows ? { position: positionOf(rows[maxPersonRows - 1]!) } : null;
