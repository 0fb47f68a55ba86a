import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

/** How far a campaign has come. */
export interface Progress {
  isFrozen: boolean;
  status: string;
  total: number;
  inHand: number;
  sent: number;
  skipped: number;
  failed: number;
  delivered: number;
}

const checkEveryMs = 50;

/** What the campaigns service has written, read past it. */
export class Ledgers {
  constructor(readonly client: pg.Client) {}

  async progress(projectId: string, id: string): Promise<Progress> {
    const { rows } = await this.client.query<Progress>(
      `SELECT l.is_frozen AS "isFrozen", c.status, n.total, n.in_hand AS "inHand", n.sent, n.skipped, n.failed, n.delivered
       FROM campaigns c JOIN launches l ON l.project_id = c.project_id AND l.campaign_id = c.id
       JOIN campaign_counts n ON n.project_id = c.project_id AND n.campaign_id = c.id WHERE c.project_id = $1 AND c.id = $2`,
      [projectId, id],
    );
    return rows[0]!;
  }

  async until(
    projectId: string,
    id: string,
    isReached: (progress: Progress) => boolean,
    timeoutMs = 900_000,
  ): Promise<Progress> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const progress = await this.progress(projectId, id);
      if (isReached(progress)) return progress;
      if (performance.now() > deadline)
        throw new Error(`campaign ${id} has come no further: ${JSON.stringify(progress)}`);
      await delay(checkEveryMs);
    }
  }

  /** The sums of every ledger beside a recount: nothing was measured that was not done. */
  async agree(): Promise<void> {
    const { rows } = await this.client.query<{ kept: Sums; counted: Sums }>(
      `SELECT array[n.total, n.in_hand, n.sent, n.skipped, n.failed, n.delivered] AS kept,
         array[r.total, r.in_hand, r.sent, r.skipped, r.failed, r.delivered] AS counted
       FROM campaign_counts n JOIN (
         SELECT project_id, campaign_id, count(*)::int AS total, (count(*) FILTER (WHERE outcome = 'QUEUED' AND handed_over))::int AS in_hand,
           (count(*) FILTER (WHERE outcome = 'SENT'))::int AS sent, (count(*) FILTER (WHERE outcome = 'SKIPPED'))::int AS skipped,
           (count(*) FILTER (WHERE outcome = 'FAILED'))::int AS failed, (count(*) FILTER (WHERE reported & 1 <> 0))::int AS delivered
         FROM recipients GROUP BY project_id, campaign_id
       ) AS r USING (project_id, campaign_id)`,
    );
    for (const { kept, counted } of rows)
      if (kept.join() !== counted.join())
        throw new Error(`a ledger disagrees with its sums: ${kept.join()} kept, ${counted.join()} counted`);
    console.log(`rows: the sums of ${rows.length} ledgers are those of their rows`);
  }
}

type Sums = number[];

export const doneOf = ({ sent, skipped, failed }: Progress): number => sent + skipped + failed;
