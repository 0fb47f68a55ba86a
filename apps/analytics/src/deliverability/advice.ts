import type {
  Advice,
  AdviceSeverity,
  DeliverabilityRates,
  DeliverabilityState,
  DomainDmarc,
  RecordPurpose,
  SendingDomain,
} from '@posthorn/contracts';
import { percent } from './rates.js';

/** With fewer messages a rate says nothing. */
const fewest = 100;
/** What Gmail and Yahoo publish for bulk senders: stay below 0.1 %, never reach 0.3 %. */
const complaints = { warning: 0.1, critical: 0.3 } as const;
const bounces = { warning: 2, critical: 5 } as const;
/** A destination that takes so much less than all together, in percentage points. */
const lowBy = 10;
/** Of what a source sends in the name of the domain. */
const failing = { messages: 50, percent: 50 } as const;
const aligned = { messages: 1_000, percent: 98 } as const;

export interface RatesOfDestination extends DeliverabilityRates {
  destination: string;
}

export interface Known {
  domain: SendingDomain;
  rates: DeliverabilityRates;
  destinations: readonly RatesOfDestination[];
  /** Of the same window; undefined where no mail is taken. */
  dmarc: DomainDmarc | undefined;
}

const severities: Readonly<Record<AdviceSeverity, number>> = { CRITICAL: 0, WARNING: 1, INFO: 2 };

/** The most severe first. */
export const adviceFor = (known: Known): Advice[] =>
  [...dnsAdvice(known.domain), ...rateAdvice(known), ...destinationAdvice(known), ...dmarcAdvice(known)].sort(
    (one, other) => severities[one.severity] - severities[other.severity],
  );

export function stateOf(advice: readonly Advice[]): DeliverabilityState {
  if (advice.some(({ severity }) => severity === 'CRITICAL')) return 'CRITICAL';
  return advice.some(({ severity }) => severity === 'WARNING') ? 'WARNING' : 'GOOD';
}

type MissingCode = 'dkim_missing' | 'spf_missing' | 'return_path_missing' | 'dmarc_missing';
const missing: Partial<Record<RecordPurpose, Pick<Advice, 'severity' | 'message'> & { code: MissingCode }>> =
  {
    DKIM: {
      code: 'dkim_missing',
      severity: 'CRITICAL',
      message:
        'Mail is not signed in your name, because the DKIM record is missing or different. Without it Gmail and Yahoo refuse bulk mail. Add the record at your DNS provider.',
    },
    SPF: {
      code: 'spf_missing',
      severity: 'WARNING',
      message:
        'The SPF record of the return path is missing or different, so receivers cannot tell that this server may send for you. Add the record at your DNS provider.',
    },
    RETURN_PATH: {
      code: 'return_path_missing',
      severity: 'WARNING',
      message:
        'Bounces cannot come back, because the MX record of the return path is missing. Addresses that do not exist will be written to again and again. Add the record at your DNS provider.',
    },
    DMARC: {
      code: 'dmarc_missing',
      severity: 'CRITICAL',
      message:
        'The domain has no DMARC policy. Gmail and Yahoo ask for one from everybody who sends bulk mail. Add the record at your DNS provider; p=none changes nothing about your mail yet.',
    },
  };

/** A record that was not looked at, or whose name server did not answer, is not missing. */
const dnsAdvice = ({ records }: SendingDomain): Advice[] =>
  records.flatMap(({ purpose, status, type, name, value, problem }): Advice[] => {
    const known = missing[purpose];
    if (!known || status !== 'FAILED') return [];
    const message = problem ? `${known.message} ${problem}` : known.message;
    return [{ ...known, message, record: { type, name, value } }];
  });

function rateAdvice({ rates }: Known): Advice[] {
  if (rates.sent < fewest) return [];
  const advice: Advice[] = [];
  if (rates.complaintRate >= complaints.warning)
    advice.push({
      code: 'complaints_high',
      severity: rates.complaintRate >= complaints.critical ? 'CRITICAL' : 'WARNING',
      message: `${percent(rates.complaintRate)} of your mail is reported as spam; Gmail and Yahoo ask for less than ${complaints.warning} % and block senders from ${complaints.critical} % on. Write only to people who asked for it, make leaving easy, and leave out those who have not opened anything for months.`,
    });
  if (rates.bounceRate >= bounces.warning)
    advice.push({
      code: 'bounces_high',
      severity: rates.bounceRate >= bounces.critical ? 'CRITICAL' : 'WARNING',
      message: `${percent(rates.bounceRate)} of your mail goes to addresses that do not exist or refuse it; more than ${bounces.warning} % looks like a bought list. Validate the list before the next campaign, and ask new subscribers to confirm their address.`,
    });
  return advice;
}

const destinationAdvice = ({ rates, destinations }: Known): Advice[] =>
  destinations
    .filter(
      (each) =>
        each.sent >= fewest &&
        (each.bounceRate >= bounces.critical ||
          (rates.delivered > 0 && each.deliveryRate <= rates.deliveryRate - lowBy)),
    )
    .map(({ destination, deliveryRate, bounceRate }) => ({
      code: 'destination_low',
      severity: 'WARNING',
      message: `${nameOf(destination)} takes only ${percent(deliveryRate)} of your mail, and refuses ${percent(bounceRate)}. Look at the reasons of its bounces, and send less there until they stop.`,
    }));

const names: Readonly<Record<string, string>> = {
  gmail: 'Gmail',
  outlook: 'Outlook',
  yahoo: 'Yahoo',
  icloud: 'iCloud',
  other: 'One of the smaller mailbox providers',
};
const nameOf = (destination: string): string => names[destination] ?? destination;

function dmarcAdvice({ domain: { dmarcStatus }, rates, dmarc }: Known): Advice[] {
  if (!dmarc || dmarcStatus !== 'VERIFIED') return [];
  const { counts, reports, record, policy, sources } = dmarc;
  if (reports === 0)
    return record && rates.sent >= fewest
      ? [
          {
            code: 'dmarc_reports_missing',
            severity: 'INFO',
            message:
              'No DMARC report has come, so nobody knows who else sends in the name of the domain. Add the address of `rua=` to your record; keep the policy that you have.',
            record: { type: 'TXT', ...record },
          },
        ]
      : [];
  const failed = sources.filter(
    ({ counts: { messages, passed } }) =>
      messages >= failing.messages && passed * 100 < messages * failing.percent,
  );
  if (failed.length > 0)
    return [
      {
        code: 'dmarc_source_fails',
        severity: 'WARNING',
        message: `${failed[0]!.source} sent ${failed[0]!.counts.messages} messages in your name that fail DMARC${failed.length > 1 ? `, and so do ${failed.length - 1} other sources` : ''}. If it is a service of yours, let it sign with your domain; if not, a stricter policy keeps its mail out.`,
      },
    ];
  const isAligned =
    counts.messages >= aligned.messages && counts.passed * 100 >= counts.messages * aligned.percent;
  return policy === 'NONE' && isAligned
    ? [
        {
          code: 'dmarc_policy_open',
          severity: 'INFO',
          message: `${percent((100 * counts.passed) / counts.messages)} of the mail in your name passes DMARC, and your policy is still p=none: anybody may send in your name. You can ask receivers to quarantine the rest.`,
          ...(record
            ? {
                record: {
                  type: 'TXT' as const,
                  ...record,
                  value: record.value.replace('p=none', 'p=quarantine'),
                },
              }
            : {}),
        },
      ]
    : [];
}
