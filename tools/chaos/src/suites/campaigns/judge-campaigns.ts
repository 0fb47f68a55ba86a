import {
  finding,
  type Finding,
  type CountsLook,
  judgeStrikes,
  type DoneStrike,
} from '../../judging/finding.js';
import { emailIdOf, type SinkLine } from '../../judging/ledger.js';
import { readingMs } from '../../loads/judge-forms.js';
import { longStopMs } from '../../faults/faults.js';
import { endsOf, isAmbiguous, unconfirmed, type Reader } from './campaign-people.js';

/** A row of the ledger, as the API shows it. */
export interface LedgerRow {
  email: string;
  outcome: string;
  reason: string | null;
  emailId: string | null;
  variant: string | null;
}

/** An e-mail of a campaign, as sending has it. */
export interface CampaignMail {
  id: string;
  campaignId: string;
  status: string;
  isGivenUp: boolean;
}

/** A campaign after the run. */
export interface EndedCampaign {
  id: string;
  name: string;
  status: string;
  pausedReason: string | null;
  /** It compares variants: only who is excluded from the other one belongs to it. */
  isCompared: boolean;
  rows: readonly LedgerRow[];
  stats: Record<string, unknown>;
}

/** The instant of a mark, in milliseconds of 1970. */
export interface HandOff {
  emailId: string;
  at: number;
}

/** A contact whose unsubscribe or suppression was answered then. */
export interface Raced {
  email: string;
  answeredAt: number;
}

/** From the answer to a pause until somebody asked to resume. */
export interface PauseSpan {
  campaignId: string;
  from: number;
  to: number;
  /** No earlier request to resume was left without an answer, which could have its effect only now. */
  isSure: boolean;
}

export interface CampaignsEvidence {
  campaigns: readonly EndedCampaign[];
  readers: readonly Reader[];
  sink: readonly SinkLine[];
  mails: readonly CampaignMail[];
  handOffs: readonly HandOff[];
  races: readonly Raced[];
  pauses: readonly PauseSpan[];
  counts: readonly CountsLook[];
  strikes: readonly DoneStrike[];
  /** When the large campaign was complete. */
  endedAt: number;
  wantedStrikes: number;
}

/**
 * Who gives a message to the mail server checks its lease just before the last byte, so nothing that was marked before an answer arrives
 * later than a lease after it; a busy machine takes the rest, as at the stops of the other suites.
 */
const lastByteMs = longStopMs;
/** Messages in hand-off when a process ends: its connections to the mail server. */
export const connections = 16;
const sendingProcesses = 2;

export function judgeCampaigns(evidence: CampaignsEvidence): Finding[] {
  return [
    ledger(evidence),
    once(evidence),
    explained(evidence),
    unconfirmedRows(evidence),
    arrived(evidence),
    ended(evidence),
    mails(evidence),
    marked(evidence),
    raced(evidence),
    paused(evidence),
    judgeStrikes(evidence),
  ];
}

const audienceOf = ({ isCompared }: EndedCampaign, readers: readonly Reader[]): Reader[] =>
  readers.filter(({ kind }) => !isCompared || kind === 'compared');
const rowsOf = ({ campaigns }: CampaignsEvidence) =>
  campaigns.flatMap((campaign) => campaign.rows.map((row) => ({ campaign, row })));
const endOf = ({ outcome, reason }: LedgerRow): string => (reason ? `${outcome} ${reason}` : outcome);

function ledger({ campaigns, readers }: CampaignsEvidence): Finding {
  const broken = campaigns.flatMap((campaign) => {
    const audience = new Set(audienceOf(campaign, readers).map(({ email }) => email));
    const rows = Map.groupBy(campaign.rows, ({ email }) => email);
    return [
      ...[...audience].map((email) => (rows.has(email) ? null : `${email} has no row in ${campaign.name}`)),
      ...[...rows].map(([email, each]) =>
        each.length > 1 ? `${email} has ${each.length} rows in ${campaign.name}` : null,
      ),
      ...[...rows.keys()].map((email) =>
        audience.has(email) ? null : `${email} has a row in ${campaign.name}, to which it does not belong`,
      ),
    ];
  });
  const looked = campaigns.reduce((sum, { rows }) => sum + rows.length, 0);
  return finding('G9 ledger', 'a contact of the audience without exactly one row', looked, broken);
}

/** Nobody is sent both campaigns. Marketing mail whose outcome is unknown is held, so there is no honest repeat. */
function once(evidence: CampaignsEvidence): Finding {
  const { sink } = evidence;
  const owners = new Map(rowsOf(evidence).map(({ row }) => [row.emailId, row.email]));
  return finding(
    'G4 G9',
    'an address that got more than one message, or one that is in no ledger',
    sink.length,
    [
      ...[...Map.groupBy(sink, ({ to }) => to)].map(([to, lines]) =>
        lines.length > 1 ? `${to} got ${lines.length} messages` : null,
      ),
      ...sink.map((line) =>
        owners.get(emailIdOf(line)) === line.to
          ? null
          : `${line.to} got ${line.messageId}, which is not its e-mail`,
      ),
    ],
  );
}

function explained(evidence: CampaignsEvidence): Finding {
  const kinds = new Map(evidence.readers.map(({ email, kind }) => [email, kind]));
  const givenUp = new Set(evidence.mails.flatMap(({ id, isGivenUp }) => (isGivenUp ? [id] : [])));
  // The strikes themselves end processes, so that a message may be taken for the cause; for three ends one at most.
  const most = Math.floor(endsOfSending(evidence) / 3);
  return finding('G9 ends', 'an outcome or a reason that nothing explains', kinds.size, [
    givenUp.size > most ? `${givenUp.size} messages were given up, ${most} can be` : null,
    ...rowsOf(evidence).map(({ campaign, row }) => {
      const kind = kinds.get(row.email);
      if (!kind || (row.emailId && givenUp.has(row.emailId) && row.outcome === 'FAILED')) return null;
      return endsOf(kind, campaign.isCompared).includes(endOf(row))
        ? null
        : `${row.email} of ${campaign.name} is ${endOf(row)}`;
    }),
  ]);
}

/** How often processes that hand over were ended or stood still; at a crash of Postgres all of them lose their lease. */
export function endsOfSending({ strikes }: Pick<CampaignsEvidence, 'strikes'>): number {
  const own = strikes.filter(({ kind }) => kind.endsWith(' sending')).length;
  return own + sendingProcesses * strikes.filter(({ kind }) => kind === 'crash postgres').length;
}

function unconfirmedRows(evidence: CampaignsEvidence): Finding {
  const kinds = new Map(evidence.readers.map(({ email, kind }) => [email, kind]));
  const rows = rowsOf(evidence).filter(
    ({ row }) => endOf(row) === unconfirmed && !isAmbiguous(kinds.get(row.email) ?? 'plain'),
  );
  const most = connections * endsOfSending(evidence);
  return finding('G4 held', `more than ${connections} unconfirmed for each strike at sending`, rows.length, [
    rows.length > most ? `${rows.length} are unconfirmed, ${most} can be` : null,
  ]);
}

function arrived(evidence: CampaignsEvidence): Finding {
  const came = new Set(evidence.sink.map(emailIdOf));
  const rows = rowsOf(evidence);
  return finding(
    'G3 G9',
    'SENT and not at the mail server, or there although nothing was sent',
    rows.length,
    rows.map(({ row }) => {
      const isThere = row.emailId !== null && came.has(row.emailId);
      if (row.outcome === 'SENT') return isThere ? null : `${row.email} is SENT and never arrived`;
      return isThere && endOf(row) !== unconfirmed ? `${row.email} is ${endOf(row)} and arrived` : null;
    }),
  );
}

function ended({ campaigns }: CampaignsEvidence): Finding {
  return finding(
    'G9 sums',
    'a campaign that is not SENT, or whose sums are others than those of its rows',
    campaigns.length,
    campaigns.flatMap((campaign) => {
      const { name, status, pausedReason, stats } = campaign;
      const sum = ['sent', 'skipped', 'failed'].reduce((total, part) => total + Number(stats[part]), 0);
      const wanted = recountOf(campaign);
      return [
        status === 'SENT' ? null : `${name} is ${status}${pausedReason ? ` ${pausedReason}` : ''}`,
        stats['total_recipients'] === sum
          ? null
          : `${name}: ${String(stats['total_recipients'])} are not ${sum}`,
        ...Object.entries(wanted).map(([key, value]) => {
          const is = key === 'variants' ? variantsIn(stats) : JSON.stringify(stats[key]);
          return is === JSON.stringify(value)
            ? null
            : `${name}: ${key} ${is}, recounted ${JSON.stringify(value)}`;
        }),
      ];
    }),
  );
}

type VariantSums = Record<'name' | 'recipients' | 'sent', unknown>;

/** The mail server's acceptance counts as delivery here, and nobody opens anything. */
function recountOf({ rows, isCompared }: EndedCampaign): Record<string, unknown> {
  const of = (outcome: string) => rows.filter((row) => row.outcome === outcome);
  const bounced = of('FAILED').filter(({ reason }) => reason === 'hard_bounce').length;
  const variants = [...Map.groupBy(rows, ({ variant }) => variant)]
    .filter(([name]) => name !== null)
    .map(([name, each]): VariantSums => {
      const recipients = each.filter(({ emailId }) => emailId !== null).length;
      return { name, recipients, sent: each.filter(({ outcome }) => outcome === 'SENT').length };
    })
    .toSorted((one, other) => String(one.name).localeCompare(String(other.name)));
  return {
    total_recipients: rows.length,
    sent: of('SENT').length,
    skipped: of('SKIPPED').length,
    failed: of('FAILED').length,
    delivered: of('SENT').length,
    bounced,
    opened: 0,
    clicked: 0,
    ...(isCompared ? { variants } : {}),
  };
}

function variantsIn(stats: Record<string, unknown>): string {
  const variants = (stats['variants'] ?? []) as VariantSums[];
  return JSON.stringify(variants.map(({ name, recipients, sent }) => ({ name, recipients, sent })));
}

function mails(evidence: CampaignsEvidence): Finding {
  const rows = new Map(rowsOf(evidence).map(({ row }) => [row.emailId, row]));
  return finding(
    'G9 G11',
    'an e-mail of sending that ended otherwise than its row, or has none',
    evidence.mails.length,
    evidence.mails.map(({ id, status }) => {
      const row = rows.get(id);
      if (!row) return `e-mail ${id} is in no ledger`;
      const agrees =
        (status === 'DELIVERED') === (row.outcome === 'SENT') &&
        (status === 'BOUNCED') === (row.reason === 'hard_bounce');
      return agrees ? null : `${row.email} is ${endOf(row)}, its e-mail ${status}`;
    }),
  );
}

/** What follows judges by these instants. */
function marked({ sink, handOffs }: CampaignsEvidence): Finding {
  const marks = Map.groupBy(handOffs, ({ emailId }) => emailId);
  return finding(
    'marks',
    'a message that arrived without a mark before',
    sink.length,
    sink.map((line) =>
      marks.get(emailIdOf(line))?.some(({ at }) => at < line.receivedAt + readingMs)
        ? null
        : `${line.to} arrived and was never marked`,
    ),
  );
}

/** By the mark, which is when a hand-off begins; and by the mail server, should one begin without a mark. */
function raced(evidence: CampaignsEvidence): Finding {
  const { races, sink, handOffs } = evidence;
  const emails = Map.groupBy(
    rowsOf(evidence).filter(({ row }) => row.emailId !== null),
    ({ row }) => row.email,
  );
  const marks = Map.groupBy(handOffs, ({ emailId }) => emailId);
  const arrivals = Map.groupBy(sink, ({ to }) => to);
  return finding(
    'G8',
    'handed over after the unsubscribe or the suppression was answered',
    races.length,
    races.map(({ email, answeredAt }) => {
      const own = (emails.get(email) ?? []).flatMap(({ row }) => marks.get(row.emailId!) ?? []);
      const mark = own.find(({ at }) => at > answeredAt + readingMs);
      if (mark) return `${email} was handed over ${Math.round(mark.at - answeredAt)} ms after the answer`;
      const late = arrivals.get(email)?.find(({ receivedAt }) => receivedAt > answeredAt + lastByteMs);
      return late ? `${email} arrived ${Math.round(late.receivedAt - answeredAt)} ms after the answer` : null;
    }),
  );
}

/** Until somebody asks to resume: that may have had its effect at once. */
function paused(evidence: CampaignsEvidence): Finding {
  const { sink, handOffs } = evidence;
  const pauses = evidence.pauses.filter(({ isSure }) => isSure);
  const owners = new Map(rowsOf(evidence).map(({ campaign, row }) => [row.emailId, campaign.id]));
  const arrivals = sink.map((line) => ({ emailId: emailIdOf(line), at: line.receivedAt }));
  return finding(
    'pause',
    'handed over between the answer to a pause and the request to resume',
    pauses.length,
    pauses.map(({ campaignId, from, to }) => {
      const within = (graceMs: number) => (each: HandOff) =>
        each.at > from + graceMs && each.at < to - readingMs && owners.get(each.emailId) === campaignId;
      const marked = handOffs.filter(within(readingMs)).length;
      const came = arrivals.filter(within(lastByteMs)).length;
      return marked + came > 0
        ? `${marked} were handed over and ${came} arrived in ${Math.round(to - from)} ms`
        : null;
    }),
  );
}
