import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Random } from '../../random.js';
import { stopMs } from '../service-strikes.js';
import { reportedLater } from '../suite.js';
import type { Tenant } from '../tenant.js';
import type { PauseSpan, Raced } from './judge-campaigns.js';

/** What becomes of a reader's row, and what of the message. */
interface ReaderKind {
  name: string;
  /** Of 1,000 readers of the large campaign. */
  share: number;
  /** What the mail server does: the local part of the address. */
  server: string;
  subscribed?: false;
  /** How the row may end, besides FAILED `delivery_unconfirmed`. */
  ends: readonly string[];
  /** Nothing is handed over, so that no outcome is ever unknown. */
  isNeverTried?: true;
  /** The mail server hides whether it took the message. */
  isAmbiguous?: true;
}

const kinds = [
  { name: 'plain', share: 859, server: 'ok', ends: ['SENT'] },
  { name: 'unsubscribing', share: 50, server: 'ok', ends: ['SENT', 'SKIPPED unsubscribed'] },
  { name: 'suppressing', share: 50, server: 'ok', ends: ['SENT', 'SKIPPED suppressed'] },
  {
    name: 'unsubscribed',
    share: 15,
    server: 'ok',
    subscribed: false,
    ends: ['SKIPPED unsubscribed'],
    isNeverTried: true,
  },
  { name: 'suppressed', share: 5, server: 'ok', ends: ['SKIPPED suppressed'], isNeverTried: true },
  { name: 'slow', share: 5, server: 'rcpt-451-once', ends: ['SENT'] },
  { name: 'unknown', share: 8, server: 'rcpt-550-5.1.1', ends: ['FAILED hard_bounce'] },
  { name: 'taken', share: 4, server: 'drop-after-accept-once', ends: [], isAmbiguous: true },
  { name: 'untaken', share: 4, server: 'drop-after-dot-once', ends: [], isAmbiguous: true },
] as const satisfies readonly ReaderKind[];

type KindName = (typeof kinds)[number]['name'] | 'compared';

export interface Reader {
  email: string;
  kind: KindName;
  subscribed: boolean;
  name: string;
}

/** Of the large campaign they are excluded, and they alone get the small one; a request takes 500 members of a segment. */
const comparedShare = 0.025;

/** In an order drawn by the seed, because they are frozen and handed over in the order of their contacts. */
export function readersOf(count: number, seed: number): Reader[] {
  const random = new Random(seed);
  const total = kinds.reduce((sum, { share }) => sum + share, 0);
  const of = (kind: ReaderKind & { name: KindName }, number: number): Reader => ({
    email: `${kind.server}+${kind.name}-${number}@sink.test`,
    kind: kind.name,
    subscribed: kind.subscribed !== false,
    name: `Reader ${number}`,
  });
  const [plain, ...others] = kinds;
  const special = others.flatMap((kind) =>
    Array.from({ length: Math.round((count * kind.share) / total) }, (_, number) => of(kind, number)),
  );
  const rest = Array.from({ length: count - special.length }, (_, number) => of(plain, number));
  const compared = Array.from({ length: Math.round(count * comparedShare) }, (_, number): Reader => ({
    email: `ok+compared-${number}@sink.test`,
    kind: 'compared',
    subscribed: true,
    name: `Reader ${number}`,
  }));
  return random.shuffled([...special, ...rest, ...compared]);
}

export const unconfirmed = 'FAILED delivery_unconfirmed';
const kindNamed = new Map<string, ReaderKind>(kinds.map((kind) => [kind.name, kind]));

/** Outcomes with their reasons that explain a row of this reader. */
export function endsOf(kind: KindName, isCompared: boolean): readonly string[] {
  if (kind === 'compared') return isCompared ? ['SENT', unconfirmed] : ['SKIPPED excluded'];
  const { ends, isNeverTried } = kindNamed.get(kind)!;
  return isNeverTried ? ends : [...ends, unconfirmed];
}

export const isAmbiguous = (kind: KindName): boolean => kindNamed.get(kind)?.isAmbiguous === true;

const lookMs = 120;
/** A message stays claimed for a moment before its hand-off: they leave before, in and after it. */
const claimedMs = 2_500;
const atOnce = 60;
/** Those whose message is awaited; should it not be seen, they leave in the last quarter. */
const aimedShare = 0.5;
const lastQuarter = 0.75;

const doneSql = `SELECT sum(sent + skipped + failed)::float8 AS done FROM campaign_counts WHERE project_id = $1`;
const claimedSql = `SELECT recipient FROM deliveries WHERE project_id = $1 AND state = 'CLAIMED' AND recipient = ANY ($2::text[])`;

interface Racer {
  email: string;
  leaves: 'unsubscribing' | 'suppressing';
  contactId: string;
  isAimed: boolean;
  /** The part of all readers that has an outcome when it leaves at the latest: how long the campaigns take depends on the strikes. */
  after: number;
}

/** Readers who unsubscribe or are suppressed while the campaign is sent: at any instant, or just when their message is about to leave. */
export class Races {
  readonly done: Raced[] = [];
  /** Of those who left, how many did while their message was claimed. */
  aimed = 0;
  private readonly left = new Map<string, Racer>();
  private readonly running = new Set<Promise<void>>();

  private constructor(
    private readonly tenant: Tenant,
    racers: readonly Racer[],
    private readonly total: number,
    private readonly random: Random,
  ) {
    for (const racer of racers) this.left.set(racer.email, racer);
  }

  static async of(tenant: Tenant, readers: readonly Reader[], random: Random): Promise<Races> {
    const ids = new Map([...(await tenant.addresses())].map(([id, email]) => [email, id]));
    const racers = readers.flatMap(({ kind, email }): Racer[] => {
      if (kind !== 'unsubscribing' && kind !== 'suppressing') return [];
      const isAimed = random.chance(aimedShare);
      const after = isAimed ? lastQuarter + (1 - lastQuarter) * random.next() : random.next();
      return [{ email, leaves: kind, contactId: ids.get(email)!, isAimed, after }];
    });
    return new Races(tenant, racers, readers.length, random);
  }

  async run(): Promise<void> {
    let done = 0;
    while (this.left.size > 0) {
      // The database may be away.
      const claimed = await this.claimed().catch(() => new Set<string>());
      done = await this.partDone().catch(() => done);
      const due = [...this.left.values()].filter(({ email, after }) => after <= done || claimed.has(email));
      for (const racer of due) {
        while (this.running.size >= atOnce) await Promise.race(this.running);
        const isClaimed = claimed.has(racer.email);
        if (isClaimed) this.aimed += 1;
        this.start(racer, isClaimed ? this.random.whole(0, claimedMs) : 0);
      }
      await delay(lookMs);
    }
    await Promise.all(this.running);
  }

  private async partDone(): Promise<number> {
    const [row] = await this.tenant.rows<{ done: number | null }>('campaigns', doneSql);
    return (row!.done ?? 0) / this.total;
  }

  private async claimed(): Promise<Set<string>> {
    const aimed = [...this.left.values()].flatMap(({ email, isAimed }) => (isAimed ? [email] : []));
    const rows = await this.tenant.rows<{ recipient: string }>('sending', claimedSql, aimed);
    return new Set(rows.map(({ recipient }) => recipient));
  }

  private start(racer: Racer, afterMs: number): void {
    this.left.delete(racer.email);
    const running = reportedLater(this.leave(racer, afterMs).finally(() => this.running.delete(running)));
    this.running.add(running);
  }

  private async leave({ email, leaves, contactId }: Racer, afterMs: number): Promise<void> {
    await delay(afterMs);
    const { status, body, endedAt } =
      leaves === 'suppressing'
        ? await this.tenant.answered('POST', '/api/v1/suppressions', { email })
        : await this.tenant.answered('PATCH', `/api/v1/contacts/${contactId}`, { subscribed: false });
    if (status! >= 300) throw new Error(`${email} could not leave: ${status} ${body}`);
    this.done.push({ email, answeredAt: performance.timeOrigin + endedAt });
  }
}

const goesOnMs = { least: 3_000, most: 14_000 };
const pausedMs = { least: 300, most: 5_000 };
const againMs = 250;
const watchMs = 1_000;
const sentMs = 600_000;
/** A request that nobody answered may have its effect later: when a gateway that stands still goes on, or before the deadline of its call. */
const lateEffectMs = { standing: stopMs.most + 5_000, killed: 10_000 };

type Verb = 'pause' | 'resume';

/** Somebody who pauses a campaign now and then, and resumes it. */
export class Pauses {
  readonly spans: PauseSpan[] = [];
  /** On the monotonic clock: until then a resume without an answer may still have its effect. */
  private doubtfulTo = 0;

  constructor(
    private readonly tenant: Tenant,
    private readonly campaignId: string,
    private readonly random: Random,
  ) {}

  /** So often at most; then it watches over the campaign until it is sent. */
  async run(most: number): Promise<void> {
    while (this.spans.length < most) {
      await delay(this.random.whole(goesOnMs.least, goesOnMs.most));
      const from = await this.until('pause', 'PAUSED');
      if (from === null) return;
      const isSure = performance.timeOrigin + this.doubtfulTo < from;
      await delay(this.random.whole(pausedMs.least, pausedMs.most));
      this.spans.push({ campaignId: this.campaignId, from, to: Date.now(), isSure });
      await this.until('resume', 'SENDING');
    }
    await this.untilSent();
  }

  private async untilSent(): Promise<void> {
    const deadline = performance.now() + sentMs;
    while (performance.now() < deadline) {
      const { status, pausedReason } = await this.campaign();
      if (status === 'SENT') return;
      // A pause that was not answered had its effect late.
      if (pausedReason === 'OPERATOR') await this.until('resume', 'SENDING');
      await delay(watchMs);
    }
    console.log(`campaign ${this.campaignId} is not sent after ${sentMs / 1_000} s`);
  }

  /** When it was answered that the campaign has this status, in milliseconds of 1970; null where it is over. */
  private async until(verb: Verb, wanted: string): Promise<number | null> {
    for (;;) {
      const { status, error, endedAt } = await this.tenant.request('POST', `${this.path}/${verb}`);
      if (status === 200) return performance.timeOrigin + endedAt;
      if (status === null && verb === 'resume') this.doubt(endedAt, error);
      // A try without an answer may have had its effect.
      if (status === 409) {
        const campaign = await this.campaign();
        if (campaign.status === wanted) return campaign.shownAt;
        if (campaign.status === 'SENT') return null;
      }
      await delay(againMs);
    }
  }

  private doubt(endedAt: number, error: string | null): void {
    const lateMs = error === 'no answer' ? lateEffectMs.standing : lateEffectMs.killed;
    this.doubtfulTo = Math.max(this.doubtfulTo, endedAt + lateMs);
  }

  private get path(): string {
    return `/api/v1/campaigns/${this.campaignId}`;
  }

  private async campaign(): Promise<{ status: string; pausedReason: string | null; shownAt: number }> {
    const { body, endedAt } = await this.tenant.answered('GET', this.path);
    const { status, paused_reason } = JSON.parse(body!) as { status: string; paused_reason: string | null };
    return { status, pausedReason: paused_reason, shownAt: performance.timeOrigin + endedAt };
  }
}
