import {
  emailReportFilters,
  invalid,
  type EmailGroup,
  type EmailReportFilter,
  type EmailReportFilterName,
} from '@posthorn/contracts';
import type { CountKind } from '../mail-counts/measures.js';
import { keyOfText } from './key-of-text.js';

/** The counters that answer: rows of one kind, by time of one key, or by key within an owner. */
export interface ReportSource {
  kind: CountKind;
  owner?: string;
  key?: string;
}

type SourceOf = (filter: string) => ReportSource;

const byTime =
  (kind: CountKind): SourceOf =>
  (key) => ({ kind, key: key.toLowerCase() });
const within =
  (kind: CountKind): SourceOf =>
  (owner) => ({ kind, owner: owner.toLowerCase() });

const unfiltered: Partial<Record<EmailGroup, ReportSource>> = {
  day: { kind: 'all' },
  hour: { kind: 'all' },
  category: { kind: 'category' },
  campaign: { kind: 'campaign' },
  workflow: { kind: 'workflow' },
  template: { kind: 'template' },
  domain: { kind: 'domain' },
  destination: { kind: 'destination' },
};

const filtered: Record<EmailReportFilterName, Partial<Record<EmailGroup, SourceOf>>> = {
  campaignId: {
    day: byTime('campaign'),
    hour: byTime('campaign'),
    destination: within('campaign_destination'),
    link: within('link'),
  },
  templateId: { day: byTime('template'), hour: byTime('template') },
  domain: { day: byTime('domain'), hour: byTime('domain'), destination: within('domain_destination') },
  tag: { day: (tag) => ({ kind: 'tag', key: keyOfText(tag) }) },
};

const nouns: Record<EmailReportFilterName, string> = {
  campaignId: 'campaign',
  templateId: 'template',
  domain: 'domain',
  tag: 'tag',
};
const explanation = [
  `all mail by ${Object.keys(unfiltered).join(', ')}`,
  ...emailReportFilters.map(
    (name) => `mail of one ${nouns[name]} by ${Object.keys(filtered[name]).join(', ')}`,
  ),
].join('; ');

export function sourceOf(groupBy: EmailGroup, filter: EmailReportFilter): ReportSource {
  const given = emailReportFilters.filter((name) => filter[name] !== undefined);
  const [name] = given;
  const found = name === undefined ? unfiltered[groupBy] : filtered[name][groupBy]?.(filter[name]!);
  if (found && given.length <= 1) return found;
  const message = `has no counters together with the rest of the request. There are counters of ${explanation}`;
  const refused = given.length > 1 ? given.slice(1) : (['groupBy'] as const);
  throw invalid(refused.map((member) => ({ path: [member], code: 'not_allowed', message })));
}
