import {
  domainOf,
  emailEvents,
  type EmailAccepted,
  type EmailBounced,
  type EmailChangedEvent,
  type EmailEngaged,
  type EventContract,
} from '@posthorn/contracts';
import type { CountKind, Counts, Measure } from './measures.js';

/** Any event of an e-mail. */
export type MailItem = EmailChangedEvent & Partial<EmailAccepted & EmailBounced & EmailEngaged>;

export interface CountedRow {
  kind: CountKind;
  owner: string;
  key: string;
  hour: number;
  counts: Counts;
}

const hourMs = 3_600_000;

/** The sums of these items, each in the hour of its own instant. */
export class CountedRows {
  private readonly rows = new Map<string, CountedRow>();

  add(event: string, item: MailItem, by = 1): void {
    const counted = measuresOf[event]?.(item) ?? [];
    if (counted.length === 0) return;
    const hour = item.at.getTime() - (item.at.getTime() % hourMs);
    for (const [kind, key, owner = ''] of dimensionsOf(event, item)) {
      const counts = this.countsAt({ kind, owner, key, hour });
      for (const measure of counted) counts[measure] = (counts[measure] ?? 0) + by;
    }
  }

  list(): CountedRow[] {
    return [...this.rows.values()];
  }

  private countsAt(row: Omit<CountedRow, 'counts'>): Counts {
    const name = `${row.kind} ${row.hour} ${row.owner} ${row.key}`;
    const known = this.rows.get(name) ?? { ...row, counts: {} };
    this.rows.set(name, known);
    return known.counts;
  }
}

const always =
  (...measures: Measure[]) =>
  () =>
    measures;

const measuresOf: Readonly<Record<string, (item: MailItem) => readonly Measure[]>> = {
  [emailEvents.accepted.name]: always('accepted'),
  [emailEvents.sent.name]: always('sent'),
  [emailEvents.delivered.name]: always('delivered'),
  [emailEvents.delayed.name]: always('deferred'),
  // Transient bounces do not count, because the message may still be delivered (the API specification, Bounce rules).
  [emailEvents.bounced.name]: ({ bounceType, refused }) => {
    if (bounceType !== 'Permanent') return [];
    return refused ? ['bounced', 'refused'] : ['bounced'];
  },
  [emailEvents.complained.name]: always('complained'),
  [emailEvents.unsubscribed.name]: always('unsubscribed'),
  [emailEvents.opened.name]: (item) => engaged(item, ['raw_opens', 'opens', 'opened']),
  [emailEvents.clicked.name]: (item) => engaged(item, ['raw_clicks', 'clicks', 'clicked']),
};

/** Scanners also fetch pixels and follow links (docs/api-decisions.md §3). */
const engaged = ({ isMachine, isFirst }: MailItem, [raw, byPeople, first]: [Measure, Measure, Measure]) => {
  if (isMachine) return [raw];
  return isFirst ? [raw, byPeople, first] : [raw, byPeople];
};

export const countedEvents: readonly EventContract<object>[] = Object.values(emailEvents).filter(
  ({ name }) => name in measuresOf,
);

type Dimension = readonly [kind: CountKind, key: string, owner?: string];

function dimensionsOf(event: string, item: MailItem): Dimension[] {
  // It does not say yet which template it is made of; e-mails are counted by dimensions from when they are sent.
  if (event === emailEvents.accepted.name) return [['all', '']];
  const { sourceType, destination = 'other', campaignId, templateId, tags = [] } = item;
  const domain = item.from === undefined ? '' : domainOf(item.from);
  return [
    ['all', ''],
    ['category', sourceType],
    ['destination', destination],
    ['domain', domain],
    ['domain_destination', destination, domain],
    ...(templateId ? ([['template', templateId]] as const) : []),
    ...tags.map((tag) => ['tag', tag] as const),
    ...(campaignId ? ofCampaign(event, campaignId, destination, item) : []),
    ...(sourceType === 'WORKFLOW' ? ofWorkflow(item) : []),
  ];
}

function ofCampaign(event: string, campaignId: string, destination: string, { link }: MailItem): Dimension[] {
  const isLink = event === emailEvents.clicked.name && link;
  return [
    ['campaign', campaignId],
    ['campaign_destination', destination, campaignId],
    ...(isLink ? ([['link', link, campaignId]] as const) : []),
  ];
}

/** Sending stores the ids as metadata, which only the workflows service may set for such mail. */
function ofWorkflow({ metadata = {} }: MailItem): Dimension[] {
  const { workflowId, stepId } = metadata;
  if (!workflowId) return [];
  return [['workflow', workflowId], ...(stepId ? ([['step', stepId, workflowId]] as const) : [])];
}
