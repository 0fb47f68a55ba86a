import {
  noProject,
  providerEvents,
  serviceCaller,
  suppressions,
  type ProviderEvent,
} from '@posthorn/contracts';
import { newId, type Database } from '@posthorn/database';
import { buildReturnPath } from '@posthorn/mail';
import type { SendingSuite } from './sending-suite.js';

export interface ReportedMail {
  projectId: string;
  id: string;
  to: string;
  /** Everybody who gets a copy, from position 1 on. */
  copies: string[];
}

interface MailOptions {
  projectId?: string;
  state?: string;
  to?: string;
  copies?: string[];
  leaseToken?: number;
  sent?: boolean;
}

/** E-mails as they are during or after their hand-off, without one. */
export async function buildReportedMails(
  database: Database,
  count: number,
  {
    projectId = newId(),
    state = 'HANDOFF',
    to,
    copies = [],
    leaseToken = 1,
    sent = state === 'SENT',
  }: MailOptions = {},
): Promise<ReportedMail[]> {
  const mails = Array.from({ length: count }, () => {
    const id = newId();
    return { projectId, id, to: to ?? `r-${id}@example.org`, copies };
  });
  await database.query(
    `INSERT INTO emails (project_id, id, content_id, from_email, from_name, to_email, subject, status, sent_at, created_at, metadata)
     SELECT $1, id, id, 'hello@shop.example', 'The Shop', recipient, 'Your order', $4, CASE WHEN $5 THEN now() - interval '1 hour' END,
       now() - interval '1 hour', '{"order": "17"}'
     FROM unnest($2::uuid[], $3::text[]) AS m (id, recipient)`,
    [projectId, mails.map(({ id }) => id), mails.map((mail) => mail.to), sent ? 'SENT' : 'PENDING', sent],
  );
  await database.query(
    `INSERT INTO deliveries (project_id, email_id, position, recipient, lane, state, expires_at, bytes, lease_token, due_at)
     SELECT $1, m.id, r.position - 1, r.recipient, 0, $4, now() + interval '1 day', 1, $5, now() + interval '1 hour'
     FROM unnest($2::uuid[], $3::text[]) AS m (id, recipient),
       LATERAL unnest(m.recipient || $6::text[]) WITH ORDINALITY AS r (recipient, position)`,
    [projectId, mails.map(({ id }) => id), mails.map((mail) => mail.to), state, leaseToken, copies],
  );
  return mails;
}

export const returnPathOf = ({ environment }: SendingSuite, { id }: ReportedMail, position = 0): string =>
  buildReturnPath(
    { emailId: id, position },
    {
      domain: 'bounces.shop.example',
      secret: environment['POSTHORN_SECRET_KEY']!.split(',')[0]!.trim(),
    },
  );

export type ReportedEvent = Partial<ProviderEvent> & Pick<ProviderEvent, 'kind'>;

let last = 0;

export const buildEvent = (mail: Pick<ReportedMail, 'id'>, event: ReportedEvent): ProviderEvent => ({
  source: 'ses',
  eventId: `event-${(last += 1)}`,
  emailId: mail.id,
  ...event,
});

export const reportAll = async ({ bus }: SendingSuite, items: ProviderEvent[]): Promise<number> =>
  (await bus.call(providerEvents.record, serviceCaller('gateway', noProject), { items })).recorded;

/** The names of the events that were published about the e-mail, sorted; of bounces with their type, of copies as such. */
export async function publishedAbout(database: Database, mail: ReportedMail): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `SELECT replace(replace(event_name, 'sending.email.', ''), 'sending.copy.', 'copy ') || coalesce(' ' || (item->>'bounceType'), '') AS name
     FROM outbox, jsonb_array_elements(items) AS item WHERE project_id = $1 AND item->>'emailId' = $2 ORDER BY 1`,
    [mail.projectId, mail.id],
  );
  return rows.map(({ name }) => name);
}

/** Why an address is suppressed, and by whom; null where it is not. */
export const suppressionOf = (
  { bus }: Pick<SendingSuite, 'bus'>,
  { projectId, to }: ReportedMail,
  email = to,
): Promise<{ reason: string; source: string } | null> =>
  bus.call(suppressions.get, serviceCaller('gateway', projectId), { email }).then(
    ({ reason, source }) => ({ reason, source }),
    () => null,
  );
