import { describe, expect, it } from '@jest/globals';
import type {
  DmarcCounts,
  DomainDmarc,
  DomainRecord,
  RecordStatus,
  SendingDomain,
} from '@posthorn/contracts';
import { noCounts } from '../reports/numbers.js';
import { adviceFor, stateOf, type Known } from './advice.js';
import { ratesOf } from './rates.js';

const records = (status: RecordStatus): DomainRecord[] =>
  (['DKIM', 'SPF', 'RETURN_PATH', 'DMARC', 'TRACKING'] as const).map((purpose) => ({
    purpose,
    type: 'TXT',
    name: `${purpose.toLowerCase()}.shop.example`,
    value: `the ${purpose} record`,
    status,
    problem: null,
  }));

const domainWith = (status: RecordStatus): SendingDomain =>
  ({ domain: 'shop.example', dmarcStatus: status, records: records(status) }) as SendingDomain;

const healthy = ratesOf({ ...noCounts, sent: 10_000, delivered: 9_900, bounced: 50, complained: 4 });
const known = (part: Partial<Known> = {}): Known => ({
  domain: domainWith('VERIFIED'),
  rates: healthy,
  destinations: [],
  dmarc: undefined,
  ...part,
});
const codes = (part: Partial<Known>) =>
  adviceFor(known(part)).map(({ code, severity }) => `${code} ${severity}`);

const counts = (part: Partial<DmarcCounts>): DmarcCounts => ({
  ...{ messages: 0, passed: 0, dkimAligned: 0, spfAligned: 0, quarantined: 0, rejected: 0 },
  ...part,
});
const dmarcOf = (part: Partial<DomainDmarc>): DomainDmarc => ({
  domain: 'shop.example',
  reportingAddress: 'dmarc+1.2@bounces.shop.example',
  record: {
    name: '_dmarc.shop.example',
    value: 'v=DMARC1; p=none; rua=mailto:dmarc+1.2@bounces.shop.example',
  },
  policy: 'NONE',
  lastReportAt: new Date(),
  reports: 3,
  reporters: ['mx.example'],
  counts: counts({ messages: 2_000, passed: 1_990 }),
  sources: [],
  ...part,
});

describe('advice for a domain', () => {
  it('is none where all is well', () => {
    expect(adviceFor(known())).toEqual([]);
    expect(stateOf([])).toBe('GOOD');
  });

  it('names each record that is missing, the worst first', () => {
    const advice = adviceFor(known({ domain: domainWith('FAILED') }));
    expect(advice.map(({ code }) => code)).toEqual([
      'dkim_missing',
      'dmarc_missing',
      'spf_missing',
      'return_path_missing',
    ]);
    expect(advice[0]!.record).toEqual({ type: 'TXT', name: 'dkim.shop.example', value: 'the DKIM record' });
    expect(stateOf(advice)).toBe('CRITICAL');
  });

  it.each(['NOT_CHECKED', 'PENDING'] as const)('does not call a record missing that is %s', (status) => {
    expect(codes({ domain: domainWith(status) })).toEqual([]);
  });

  it.each([
    ['few complaints', { sent: 10_000, complained: 9 }, []],
    ['one in a thousand complains', { sent: 10_000, complained: 10 }, ['complaints_high WARNING']],
    ['three do', { sent: 10_000, complained: 30 }, ['complaints_high CRITICAL']],
    ['one of few complains', { sent: 99, complained: 9 }, []],
    ['one of fifty bounces', { sent: 1_000, bounced: 20 }, ['bounces_high WARNING']],
    ['one of twenty does', { sent: 950, refused: 50, bounced: 50 }, ['bounces_high CRITICAL']],
  ] as const)('where %s', (_, rates, expected) => {
    expect(codes({ rates: ratesOf({ ...noCounts, ...rates }) })).toEqual(expected);
  });

  it('names a destination that takes less than the others', () => {
    const to = (destination: string, delivered: number, bounced = 0) => ({
      ...ratesOf({ ...noCounts, sent: 1_000, delivered, bounced }),
      destination,
    });
    const advice = adviceFor(
      known({ destinations: [to('gmail', 990), to('outlook', 800), to('other', 940, 60)] }),
    );
    expect(advice.map(({ message }) => message.slice(0, 45))).toEqual([
      'Outlook takes only 80.00 % of your mail, and ',
      'One of the smaller mailbox providers takes on',
    ]);
  });

  it('asks for DMARC reports, then for whoever fails, then for a policy', () => {
    expect(codes({ dmarc: dmarcOf({ reports: 0 }) })).toEqual(['dmarc_reports_missing INFO']);
    const source = { source: '192.0.2.9', signedBy: null, returnPath: null };
    const sources = [{ ...source, counts: counts({ messages: 60, passed: 2 }) }];
    expect(codes({ dmarc: dmarcOf({ sources }) })).toEqual(['dmarc_source_fails WARNING']);
    const [open] = adviceFor(known({ dmarc: dmarcOf({}) }));
    expect(open).toMatchObject({ code: 'dmarc_policy_open', record: { name: '_dmarc.shop.example' } });
    expect(open!.record!.value).toContain('p=quarantine; rua=');
    expect(codes({ dmarc: dmarcOf({ policy: 'REJECT' }) })).toEqual([]);
  });
});
