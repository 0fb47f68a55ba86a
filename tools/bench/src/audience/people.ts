import { lowestIdOf } from '@posthorn/database';

/** Everything that is made follows from this number and the place of a contact; only the instants end at the present. */
const seed = 20_261_123;
export const eventNames = 20;
const eventsOfEach = 10;
const dayMs = 86_400_000;
const contactDays = 730;
const eventDays = 182;

/** As SQL: the address of the n-th contact. */
const addressOf = (n: string): string =>
  `'reader-' || ${n} || '@' || (ARRAY['mail', 'post', 'firm', 'school'])[1 + ${n} % 4] || '.example'`;

export const nthAddress = (n: number): string =>
  `reader-${n}@${['mail', 'post', 'firm', 'school'][n % 4]}.example`;

/** As SQL: a number of [0, 1) that place and throw decide. */
const random = (n: string, throws: number): string =>
  `((hashint8extended(${n}, ${seed + throws}) & 1048575)::float8 / 1048576)`;

/** As SQL: the UUIDv7 of an instant in milliseconds. */
function idOf(ms: string, n: string, throws: number): string {
  const hex = `lpad(to_hex(hashint8extended(${n}, ${seed + throws})), 16, '0')`;
  return `(lpad(to_hex(${ms}), 12, '0') || '7' || substr(${hex}, 1, 3) || 'a' || substr(${hex}, 2, 15))::uuid`;
}

/** The parts of the generator for so many contacts until an instant. */
export class People {
  constructor(
    readonly projectId: string,
    readonly contacts: number,
    readonly until: number,
  ) {}

  get events(): number {
    return this.contacts * eventsOfEach;
  }

  private get project(): string {
    return `'${this.projectId}'::uuid`;
  }

  private madeMs(n: string): string {
    const [from, step] = [this.until - contactDays * dayMs, (contactDays * dayMs) / (this.contacts + 1)];
    return `(${from} + (${n} * ${step}::float8)::bigint)`;
  }

  private idOfContact(n: string): string {
    return idOf(this.madeMs(n), n, 1);
  }

  /** Five fields each, of the kinds that there are. */
  get contactsSql(): string {
    return `INSERT INTO contacts (project_id, id, email, subscribed, custom_fields, created_at, updated_at)
      SELECT ${this.project}, ${this.idOfContact('n')}, ${addressOf('n')}, ${random('n', 2)} < 0.9, ${fieldsOf('n')},
        to_timestamp(${this.madeMs('n')} / 1000.0), to_timestamp(${this.madeMs('n')} / 1000.0)
      FROM generate_series(1::bigint, ${this.contacts}) AS n`;
  }

  get contactCountsSql(): string {
    return `INSERT INTO contact_counts (project_id, total, subscribed)
      SELECT project_id, count(*), count(*) FILTER (WHERE subscribed) FROM contacts WHERE project_id = ${this.project} GROUP BY 1`;
  }

  get consentsSql(): string {
    return `INSERT INTO consents (project_id, id, contact_id, after, at, source)
      SELECT project_id, uuidv7(), id, subscribed, created_at, 'API' FROM contacts WHERE project_id = ${this.project}`;
  }

  /** Confirmed but for one in ten, who has left. */
  membersSql(listId: string, share: number, throws: number): string {
    return `INSERT INTO memberships (project_id, list_id, contact_id, id, status, created_at, updated_at)
      SELECT ${this.project}, '${listId}', ${this.idOfContact('n')}, ${idOf(this.madeMs('n'), 'n', throws + 1)},
        CASE WHEN ${random('n', throws + 2)} < 0.9 THEN 'CONFIRMED' ELSE 'UNSUBSCRIBED' END,
        to_timestamp(${this.madeMs('n')} / 1000.0), to_timestamp(${this.madeMs('n')} / 1000.0)
      FROM generate_series(1::bigint, ${this.contacts}) AS n WHERE ${random('n', throws)} < ${share}`;
  }

  get listCountsSql(): string {
    return `INSERT INTO list_counts (project_id, list_id, pending, confirmed, unsubscribed)
      SELECT project_id, list_id, 0, count(*) FILTER (WHERE status = 'CONFIRMED'), count(*) FILTER (WHERE status = 'UNSUBSCRIBED')
      FROM memberships WHERE project_id = ${this.project} GROUP BY 1, 2`;
  }

  /** The events of one span of instants. Few contacts do most, and few names are most of what is done. */
  eventsSql(from: number, to: number): string {
    const first = this.until - eventDays * dayMs;
    const step = (eventDays * dayMs) / this.events;
    const [lowest, highest] = [
      Math.max(1, Math.ceil((from - first) / step)),
      Math.min(this.events - 1, Math.ceil((to - first) / step) - 1),
    ];
    const whose = `(1 + floor(${this.contacts} * power(${random('e', 3)}, 1.5))::bigint)`;
    return `INSERT INTO events (project_id, id, contact_id, name, payload, occurred_at, created_at)
      SELECT ${this.project}, ${idOf('ms', 'e', 4)}, ${this.idOfContact('n')}, 'event-' || floor(${eventNames} * power(${random('e', 5)}, 2)),
        jsonb_build_object('amount', e % 500, 'source', 'web'), to_timestamp(ms / 1000.0), to_timestamp(ms / 1000.0)
      FROM (SELECT e, ${whose} AS n, (${first} + (e * ${step}::float8)::bigint) AS ms FROM generate_series(${lowest}::bigint, ${highest}) AS e) AS happened`;
  }

  get eventSumsSql(): string[] {
    const of = `FROM events WHERE project_id = ${this.project}`;
    const day = `(occurred_at AT TIME ZONE 'UTC')::date`;
    return [
      `INSERT INTO event_summaries (project_id, contact_id, name, count, first_at, last_at)
       SELECT project_id, contact_id, name, count(*), min(occurred_at), max(occurred_at) ${of} GROUP BY 1, 2, 3`,
      `INSERT INTO event_names (project_id, name, count) SELECT project_id, name, count(*) ${of} GROUP BY 1, 2`,
      `INSERT INTO event_days (project_id, day, name, count) SELECT project_id, ${day}, name, count(*) ${of} GROUP BY 1, 2, 3`,
    ];
  }

  /** Everybody was sent something, fewer did something with it. */
  get mailSumsSql(): string {
    const ms = `${this.until} - (${random('n', 7)} * ${90 * dayMs})::bigint`;
    return `INSERT INTO mail_summaries (project_id, contact_id, kind, count, first_at, last_at)
      SELECT ${this.project}, ${this.idOfContact('n')}, kind, 1 + n % 9, to_timestamp((${ms} - ${dayMs}) / 1000.0), to_timestamp((${ms}) / 1000.0)
      FROM generate_series(1::bigint, ${this.contacts}) AS n,
        (VALUES ('sent', 1.0), ('delivered', 0.97), ('opened', 0.4), ('clicked', 0.1), ('bounced', 0.03)) AS kinds (kind, share)
      WHERE ${random('n', 6)} < share`;
  }
}

/** As SQL: text, number, text of many values, flag and instant. */
const fieldsOf = (n: string): string =>
  `jsonb_build_object('plan', (ARRAY['free', 'free', 'free', 'pro', 'team'])[1 + floor(5 * ${random(n, 8)})::int],
    'seats', floor(100 * ${random(n, 9)})::int, 'city', 'city-' || floor(50 * ${random(n, 10)}), 'active', ${random(n, 11)} < 0.7,
    'renewsAt', to_char(timestamp '2026-01-01' + floor(700 * ${random(n, 12)}) * interval '1 day', 'YYYY-MM-DD'))`;

/** The weeks that events are kept by, from the first event until now. */
export function weeksOf({
  until,
}: People): { from: number; to: number; partition: string; bounds: string }[] {
  const week = 7 * dayMs;
  const weeks = [];
  for (let from = Math.floor((until - eventDays * dayMs) / week) * week; from <= until; from += week) {
    const to = from + week;
    const partition = `events_p${new Date(from).toISOString().slice(0, 10).replaceAll('-', '')}`;
    weeks.push({ from, to, partition, bounds: `FROM ('${lowestIdOf(from)}') TO ('${lowestIdOf(to)}')` });
  }
  return weeks;
}
