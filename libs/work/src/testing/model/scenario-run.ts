import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { enqueueVersion, exclusiveWork, scriptedWork } from '../scripted.work.js';
import type { WorkProcess } from '../work-suite.js';
import type { Observed, ObservedItem } from './breaches.js';
import type { PlannedItem, PlannedPause, Scenario } from './scenario.js';

type NamedItem = PlannedItem & { name: string };

const deadly: PlannedItem = {
  script: { does: 'kills its process' },
  hasKey: true,
  group: '',
  priority: 'NORMAL',
  delayMs: 0,
  cancelAfterMs: null,
};

export class ScenarioRun {
  private readonly projectId = newId();
  private readonly kind;
  private readonly items: NamedItem[];
  private readonly cancelled = new Map<string, { gone: boolean; effectsThen: number }>();
  private readonly ranWhilePaused: string[] = [];

  constructor(
    private readonly client: WorkProcess,
    private readonly scenario: Scenario,
    options: { deadly: boolean },
  ) {
    this.kind = scenario.exclusive ? exclusiveWork : scriptedWork;
    const items = options.deadly ? [...scenario.items, deadly] : scenario.items;
    // What is enqueued again, also by its handler, is so without a group.
    this.items = items.map((item, index) => ({
      ...item,
      group: isVersioned(item) ? '' : item.group,
      name: `${this.projectId} ${index} ${item.script.does}`,
    }));
  }

  async play(): Promise<void> {
    const { pause, againAfterMs } = this.scenario;
    const versioned = this.items.filter(isVersioned);
    await this.enqueue(this.items.filter((item) => !versioned.includes(item)));
    for (const item of versioned) await this.enqueueAgain(item);
    await Promise.all([
      ...this.items.map((item) => (isCancelled(item) ? this.cancel(item, item.cancelAfterMs!) : undefined)),
      ...versioned.flatMap((item) =>
        againAfterMs.map((afterMs) => delay(afterMs).then(() => this.enqueueAgain(item))),
      ),
      pause ? this.pause(pause) : undefined,
    ]);
  }

  async observe(): Promise<Observed> {
    const rows = await this.client.database.query<Omit<ObservedItem, 'script' | 'cancelled'>>(
      `SELECT name, (SELECT coalesce(json_agg(json_build_object('step', step, 'version', version) ORDER BY step, version), '[]') FROM effects WHERE item = name) AS effects,
              (SELECT count(*)::int FROM runs WHERE item = name) AS runs, (SELECT count(*)::int FROM kills WHERE item = name) AS kills, (SELECT count(*)::int FROM deaths WHERE item = name) AS deaths,
              (SELECT coalesce(max(version), 0) FROM versions WHERE item = name) AS version,
              EXISTS (SELECT FROM work_items WHERE project_id = $2 AND payload ->> 'name' = name AND state = 'DEAD') AS "isDead"
       FROM unnest($1::text[]) AS n (name)`,
      [this.items.map(({ name }) => name), this.projectId],
    );
    const items = rows.map((row, index) => ({
      ...row,
      script: this.items[index]!.script,
      cancelled: this.cancelled.get(row.name) ?? null,
    }));
    return { items, ranWhilePaused: this.ranWhilePaused };
  }

  private enqueue(items: readonly NamedItem[]): Promise<void> {
    const { projectId } = this;
    return this.client.queue.enqueue(
      this.kind,
      items.map(({ name, script, hasKey, group, priority, delayMs }) => {
        return {
          projectId,
          key: hasKey ? name : undefined,
          group,
          priority,
          delayMs,
          payload: { script, name, step: 0 },
        };
      }),
    );
  }

  private enqueueAgain({ name, script }: NamedItem): Promise<void> {
    return enqueueVersion(this.client, this.kind, this.projectId, { name, script, step: 0 });
  }

  private async cancel({ name }: NamedItem, afterMs: number): Promise<void> {
    await delay(afterMs);
    const removed = await this.client.queue.cancel(this.kind, this.projectId, name);
    const effects = await this.client.database.query(`SELECT 1 FROM effects WHERE item = $1`, [name]);
    this.cancelled.set(name, { gone: removed, effectsThen: effects.length });
  }

  private async pause({ group, afterMs, forMs }: PlannedPause): Promise<void> {
    const { database, queue } = this.client;
    await delay(afterMs);
    await queue.pause(this.kind, this.projectId, group);
    const names = this.items.filter((item) => group === '' || item.group === group).map(({ name }) => name);
    await this.earlierClaimsEnded();
    const claimed = await database.query<{ name: string }>(
      `SELECT payload ->> 'name' AS name FROM work_items WHERE project_id = $1 AND state IN ('CLAIMED', 'SUSPECT')`,
      [this.projectId],
    );
    const since = await this.now();
    await delay(forMs);
    const ran = await database.query<{ item: string }>(
      `SELECT DISTINCT item FROM runs WHERE at > $1 AND item = ANY($2) AND item <> ALL($3)`,
      [since, names, claimed.map(({ name }) => name)],
    );
    this.ranWhilePaused.push(...ran.map(({ item }) => item));
    await queue.resume(this.kind, this.projectId, group);
  }

  /** A claim that began before the pause was committed does not know of it. */
  private async earlierClaimsEnded(): Promise<void> {
    const now = await this.now();
    await eventually(async () => {
      const claims = await this.client.database.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query_start < $1 AND query ~ 'WITH RECURSIVE turn'`,
        [now],
      );
      return claims.length === 0;
    }, 'claims of before have ended');
  }

  private async now(): Promise<Date> {
    const [row] = await this.client.database.query<{ now: Date }>(`SELECT clock_timestamp() AS now`);
    return row!.now;
  }
}

const isVersioned = ({ script }: PlannedItem): boolean => script.does === 'is enqueued again';

const isCancelled = (item: PlannedItem): boolean =>
  item.hasKey && item.cancelAfterMs !== null && !isVersioned(item);
