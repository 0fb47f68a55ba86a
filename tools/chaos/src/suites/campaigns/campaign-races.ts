import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../random.js';
import type { Reader } from './campaign-readers.js';
import type { Raced } from './campaign-evidence.js';
import { reportedLater } from '../suite.js';
import type { Tenant } from '../tenant.js';

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
    const rows = await tenant.records.query<{ id: string; email: string }>(
      'contacts',
      `SELECT id, email FROM contacts WHERE project_id = $1`,
      [tenant.projectId],
    );
    const ids = new Map(rows.map(({ id, email }) => [email, id]));
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
    const { records, projectId } = this.tenant;
    const [row] = await records.query<{ done: number | null }>('campaigns', doneSql, [projectId]);
    return (row!.done ?? 0) / this.total;
  }

  private async claimed(): Promise<Set<string>> {
    const aimed = [...this.left.values()].flatMap(({ email, isAimed }) => (isAimed ? [email] : []));
    const { records, projectId } = this.tenant;
    const rows = await records.query<{ recipient: string }>('sending', claimedSql, [projectId, aimed]);
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
