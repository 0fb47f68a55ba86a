/** What is counted of mail; `raw` includes machines, `opened` and `clicked` are e-mails, by people. */
export const measures = [
  'accepted', 'sent', 'delivered', 'deferred', 'bounced', 'refused', 'complained', 'unsubscribed',
  'opened', 'clicked', 'opens', 'clicks', 'raw_opens', 'raw_clicks',
] as const; // prettier-ignore
export type Measure = (typeof measures)[number];

export type Counts = Partial<Record<Measure, number>>;

/** By what mail is counted. Those with an owner are counted within it: links within their campaign. */
export const countKinds = [
  'all', 'category', 'campaign', 'workflow', 'step', 'template', 'domain', 'destination', 'tag', 'link',
  'campaign_destination', 'domain_destination',
] as const; // prettier-ignore
export type CountKind = (typeof countKinds)[number];

/** Their keys are made by strangers: the first of each owner are counted apart, the others under `''`, and by day only. */
export const openKinds = ['link', 'tag'] as const satisfies readonly CountKind[];
export const maxOpenKeys = 1_000;

export const sumsOf = (rows: string): string =>
  measures.map((measure) => `sum(${rows}.${measure})::bigint AS ${measure}`).join(', ');
