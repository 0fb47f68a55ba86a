import { describe, expect, it } from '@jest/globals';
import type { SinkLine } from '../../judging/ledger.js';
import { judgeCounts, type CountsRow } from '../../judging/finding.js';
import type { Reader } from './campaign-people.js';
import {
  judgeCampaigns,
  type CampaignsEvidence,
  type EndedCampaign,
  type LedgerRow,
} from './judge-campaigns.js';

const line = (id: string, to: string, receivedAt = 10_000): SinkLine => ({
  messageId: `${id}@chaos.test`,
  from: '',
  to,
  mailParameters: '',
  tls: false,
  receivedAt,
  faults: [],
  digest: 'd',
});
const reader = (email: string, kind: Reader['kind']): Reader => ({ email, kind, subscribed: true, name: '' });
const row = (
  email: string,
  end: string,
  emailId: string | null = null,
  variant: string | null = null,
): LedgerRow => {
  const [outcome, reason = null] = end.split(' ') as [string, string?];
  return { email, outcome, reason, emailId, variant };
};

const readers = [
  reader('ann', 'plain'),
  reader('bob', 'unsubscribing'),
  reader('cy', 'suppressed'),
  reader('dora', 'unknown'),
  reader('eve', 'taken'),
  reader('fay', 'compared'),
];
const rows = [
  row('ann', 'SENT', 'e-ann'),
  row('bob', 'SENT', 'e-bob'),
  row('cy', 'SKIPPED suppressed', 'e-cy'),
  row('dora', 'FAILED hard_bounce', 'e-dora'),
  row('eve', 'FAILED delivery_unconfirmed', 'e-eve'),
  row('fay', 'SKIPPED excluded'),
];
const shared = { status: 'SENT', pausedReason: null };
const large: EndedCampaign = {
  ...shared,
  id: 'large',
  name: 'large',
  isCompared: false,
  rows,
  stats: {
    total_recipients: 6,
    sent: 2,
    skipped: 2,
    failed: 2,
    delivered: 2,
    bounced: 1,
    opened: 0,
    clicked: 0,
    variants: [],
  },
};
const small: EndedCampaign = {
  ...shared,
  id: 'small',
  name: 'small',
  isCompared: true,
  rows: [row('fay', 'SENT', 'e-fay', 'A')],
  stats: {
    total_recipients: 1,
    sent: 1,
    skipped: 0,
    failed: 0,
    delivered: 1,
    bounced: 0,
    opened: 0,
    clicked: 0,
    variants: [{ name: 'A', recipients: 1, sent: 1, opened: 0 }],
  },
};
const mail = (id: string, status: string) => ({ id, status, campaignId: 'large', isGivenUp: false });
const good: CampaignsEvidence = {
  campaigns: [large, small],
  readers,
  counts: [],
  endedAt: 50_000,
  wantedStrikes: 1,
  sink: [line('e-ann', 'ann'), line('e-bob', 'bob'), line('e-eve', 'eve'), line('e-fay', 'fay')],
  mails: [
    ...[mail('e-ann', 'DELIVERED'), mail('e-bob', 'DELIVERED'), mail('e-cy', 'FAILED')],
    ...[mail('e-dora', 'BOUNCED'), mail('e-eve', 'FAILED'), mail('e-fay', 'DELIVERED')],
  ],
  handOffs: ['ann', 'bob', 'dora', 'eve', 'fay'].map((name) => ({ emailId: `e-${name}`, at: 9_900 })),
  races: [{ email: 'bob', answeredAt: 9_950 }],
  pauses: [{ campaignId: 'large', from: 20_000, to: 30_000, isSure: true }],
  strikes: [{ kind: 'kill sending', state: null, at: 9_000 }],
};

const brokenIn = (change: Partial<CampaignsEvidence>) =>
  judgeCampaigns({ ...good, ...change })
    .filter((each) => each.broken.length > 0)
    .map(({ property }) => property);
/** With other rows of the large campaign, and the sums that belong to them. */
const withRows = (changed: LedgerRow[], stats: object = {}): Partial<CampaignsEvidence> => ({
  campaigns: [{ ...large, rows: changed, stats: { ...large.stats, ...stats } }, small],
});
const instead = (email: string, ...others: LedgerRow[]) => [
  ...rows.filter((each) => each.email !== email),
  ...others,
];

describe('the judge of campaigns', () => {
  it('holds where everybody got at most one message and has an outcome', () => {
    expect(brokenIn({})).toEqual([]);
  });

  it.each<[string, Partial<CampaignsEvidence>, string[]]>([
    [
      'a contact without a row',
      withRows(instead('cy'), { total_recipients: 5, skipped: 1 }),
      ['G9 ledger', 'G9 G11'],
    ],
    [
      'a contact with two rows',
      withRows([...rows, row('cy', 'SKIPPED suppressed')], { total_recipients: 7, skipped: 3 }),
      ['G9 ledger'],
    ],
    [
      'a row of somebody who does not belong to the audience',
      withRows([...rows, row('zoe', 'SKIPPED excluded')], { total_recipients: 7, skipped: 3 }),
      ['G9 ledger'],
    ],
    ['a message without a mark', { handOffs: good.handOffs.slice(1) }, ['marks']],
    ['an address that got two messages', { sink: [...good.sink, line('e-ann', 'ann')] }, ['G4 G9']],
    ['a message that is in no ledger', { sink: [...good.sink, line('x', 'cy')] }, ['G4 G9', 'marks']],
    [
      'an outcome that nothing explains',
      withRows(instead('ann', row('ann', 'SKIPPED suppressed')), { sent: 1, delivered: 1, skipped: 3 }),
      ['G4 G9', 'G9 ends', 'G9 G11'],
    ],
    [
      'more messages that were given up than strikes can explain',
      { mails: good.mails.map((each) => ({ ...each, isGivenUp: each.id === 'e-dora' })) },
      ['G9 ends'],
    ],
    [
      'unconfirmed rows without a strike at sending',
      {
        ...withRows(instead('dora', row('dora', 'FAILED delivery_unconfirmed', 'e-dora')), { bounced: 0 }),
        mails: good.mails.map((each) => (each.id === 'e-dora' ? { ...each, status: 'FAILED' } : each)),
        strikes: [{ kind: 'kill campaigns', state: null, at: 9_000 }],
      },
      ['G4 held'],
    ],
    ['a row that is SENT and did not arrive', { sink: good.sink.slice(1) }, ['G3 G9']],
    [
      'a skipped row whose message arrived',
      {
        sink: [...good.sink, line('e-cy', 'cy')],
        handOffs: [...good.handOffs, { emailId: 'e-cy', at: 9_900 }],
      },
      ['G3 G9'],
    ],
    [
      'a campaign that does not end',
      { campaigns: [{ ...large, status: 'PAUSED', pausedReason: 'CONTENT' }, small] },
      ['G9 sums'],
    ],
    ['sums that do not add up', withRows(rows, { total_recipients: 7 }), ['G9 sums']],
    ['a sum that differs from its rows', withRows(rows, { delivered: 3 }), ['G9 sums']],
    [
      'sums of a variant that differ from its rows',
      { campaigns: [large, { ...small, stats: { ...small.stats, variants: [] } }] },
      ['G9 sums'],
    ],
    ['an e-mail that ended otherwise', { mails: [mail('e-ann', 'FAILED')] }, ['G9 G11']],
    ['an e-mail of nobody', { mails: [mail('e-zoe', 'FAILED')] }, ['G9 G11']],
    ['a hand-off after an answered unsubscribe', { races: [{ email: 'bob', answeredAt: 9_800 }] }, ['G8']],
    [
      'a message long after an answered unsubscribe, without a hand-off',
      {
        races: [{ email: 'bob', answeredAt: 4_000 }],
        handOffs: good.handOffs.filter(({ emailId }) => emailId !== 'e-bob'),
      },
      ['marks', 'G8'],
    ],
    [
      'a hand-off while the campaign is paused',
      { handOffs: [...good.handOffs, { emailId: 'e-ann', at: 20_100 }] },
      ['pause'],
    ],
    [
      'a message that arrives long after the answer to a pause',
      { sink: good.sink.map((each) => (each.to === 'ann' ? { ...each, receivedAt: 26_000 } : each)) },
      ['pause'],
    ],
    ['too few strikes', { endedAt: 8_000 }, ['strikes']],
  ])('finds %s', (_, change, properties) => {
    expect(brokenIn(change)).toEqual(properties);
  });

  it('lets a hand-off pass that began before the answer, one of another campaign during a pause, and one in a pause in doubt', () => {
    const late = good.sink.map((each) => (each.to === 'bob' ? { ...each, receivedAt: 12_000 } : each));
    expect(brokenIn({ sink: late })).toEqual([]);
    expect(brokenIn({ handOffs: [...good.handOffs, { emailId: 'e-fay', at: 25_000 }] })).toEqual([]);
    const unsure = good.pauses.map((each) => ({ ...each, isSure: false }));
    expect(
      brokenIn({ handOffs: [...good.handOffs, { emailId: 'e-ann', at: 25_000 }], pauses: unsure }),
    ).toEqual([]);
  });
});

describe('the judge of sums', () => {
  const broken = (...found: CountsRow[]) => judgeCounts([{ at: 0, rows: found }], 'a campaign').broken;

  it('takes sums that are missing for those of nobody', () => {
    expect(broken({ key: 'a', kept: { total: 0, sent: 0 }, counted: null })).toEqual([]);
    expect(broken({ key: 'a', kept: { total: 2, sent: 1 }, counted: { sent: 1, total: 2 } })).toEqual([]);
  });

  it('names what differs', () => {
    expect(broken({ key: 'a', kept: { total: 2, sent: 1 }, counted: { total: 2, sent: 2 } })).toEqual([
      'a: sent 1; recounted sent 2',
    ]);
    expect(broken({ key: 'a', kept: null, counted: { total: 1 } })).toEqual([
      'a: total 0; recounted total 1',
    ]);
  });
});
