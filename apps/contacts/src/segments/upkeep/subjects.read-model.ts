import { filtersOf, type EmailActivity } from '@posthorn/contracts';
import { columnsOf, type Database } from '@posthorn/database';
import type { Subject } from '../matching/match-condition.js';
import type { ContactMark } from '../segment-dirty.repository.js';
import type { ConditionedSegment } from '../segment-order.js';
import type { EvaluatedContact } from './evaluate.js';

type Own = Pick<Subject, 'email' | 'subscribed' | 'createdAt' | 'updatedAt' | 'customFields'>;
const marked = columnsOf<ContactMark>([
  { column: 'project_id', type: 'uuid', value: ({ projectId }) => projectId },
  { column: 'contact_id', type: 'uuid', value: ({ contactId }) => contactId },
]);

type OfContact<T> = T & { contactId: string };

export class Subjects {
  constructor(private readonly database: Database) {}

  async of(
    marks: readonly ContactMark[],
    segments: readonly ConditionedSegment[],
  ): Promise<EvaluatedContact[]> {
    const requested = requestedBy(segments);
    const [own, events, activities, lists, memberships, due] = await this.inSequence([
      () => this.own(marks),
      () => this.dated(marks, 'event_summaries', 'name', requested.events),
      () => this.dated(marks, 'mail_summaries', 'kind', requested.activities),
      () => this.lists(marks, requested.lists),
      () => this.memberships(marks),
      () => this.due(marks),
    ]);
    return marks.map(({ projectId, contactId }) => {
      const [contact] = own!.of(contactId) as Own[];
      const datesOf = (rows: Rows) =>
        new Map((rows.of(contactId) as { what: string; at: Date }[]).map(({ what, at }) => [what, at]));
      const subject = contact && {
        ...contact,
        events: datesOf(events!),
        activities: datesOf(activities!) as Map<EmailActivity, Date>,
        lists: new Set((lists!.of(contactId) as { id: string }[]).map(({ id }) => id)),
        segments: new Set<string>(),
      };
      return {
        projectId,
        contactId,
        subject: subject ?? null,
        segments: new Set((memberships!.of(contactId) as { id: string }[]).map(({ id }) => id)),
        due: new Map(
          (due!.of(contactId) as { id: string; at: Date }[]).map(({ id, at }) => [id, at.getTime()]),
        ),
      };
    });
  }

  /** One after another, because a transaction has one connection. */
  private async inSequence(requests: (() => Promise<OfContact<object>[]>)[]): Promise<Rows[]> {
    const found: Rows[] = [];
    for (const query of requests) found.push(new Rows(await query()));
    return found;
  }

  private own(marks: readonly ContactMark[]): Promise<OfContact<Own>[]> {
    return this.query(
      marks,
      `SELECT t.id AS "contactId", t.email, t.subscribed, t.created_at AS "createdAt", t.updated_at AS "updatedAt", t.custom_fields AS "customFields"`,
      `contacts t ON t.project_id = a.project_id AND t.id = a.contact_id`,
    );
  }

  private async dated(
    marks: readonly ContactMark[],
    table: string,
    what: string,
    wanted: readonly string[],
  ): Promise<OfContact<object>[]> {
    if (wanted.length === 0) return [];
    return this.query(
      marks,
      `SELECT t.contact_id AS "contactId", t.${what} AS what, t.last_at AS at`,
      `${table} t ON ${ofContact} AND t.${what} = ANY ($3::text[])`,
      [wanted],
    );
  }

  private async lists(
    marks: readonly ContactMark[],
    wanted: readonly string[],
  ): Promise<OfContact<object>[]> {
    if (wanted.length === 0) return [];
    const confirmed = `memberships t ON ${ofContact} AND t.status = 'CONFIRMED' AND t.list_id = ANY ($3::uuid[])`;
    return this.query(marks, `SELECT t.contact_id AS "contactId", t.list_id AS id`, confirmed, [wanted]);
  }

  private memberships(marks: readonly ContactMark[]): Promise<OfContact<object>[]> {
    return this.query(
      marks,
      `SELECT t.contact_id AS "contactId", t.segment_id AS id`,
      `segment_members t ON ${ofContact}`,
    );
  }

  private due(marks: readonly ContactMark[]): Promise<OfContact<object>[]> {
    return this.query(
      marks,
      `SELECT t.contact_id AS "contactId", t.segment_id AS id, t.due_at AS at`,
      `segment_due t ON ${ofContact}`,
    );
  }

  private query<T>(
    marks: readonly ContactMark[],
    select: string,
    joined: string,
    more: unknown[] = [],
  ): Promise<OfContact<T>[]> {
    return this.database.query(`${select} FROM ${marked.unnest('a', 1)} JOIN ${joined}`, [
      ...marked.values(marks),
      ...more,
    ]);
  }
}

const ofContact = `t.project_id = a.project_id AND t.contact_id = a.contact_id`;

class Rows {
  private readonly byContact: Map<string, object[]>;

  constructor(rows: readonly OfContact<object>[]) {
    this.byContact = Map.groupBy(rows, ({ contactId }) => contactId);
  }

  of(contactId: string): object[] {
    return this.byContact.get(contactId) ?? [];
  }
}

function requestedBy(segments: readonly ConditionedSegment[]): {
  events: string[];
  activities: string[];
  lists: string[];
} {
  const filters = segments.flatMap(({ condition }) => filtersOf(condition));
  const unique = (values: string[]) => [...new Set(values)];
  return {
    events: unique(filters.flatMap((filter) => (filter.field === 'event' ? [filter.name] : []))),
    activities: unique(filters.flatMap((filter) => (filter.field === 'activity' ? [filter.activity] : []))),
    lists: unique(filters.flatMap((filter) => (filter.field === 'list' ? [filter.id] : []))),
  };
}
