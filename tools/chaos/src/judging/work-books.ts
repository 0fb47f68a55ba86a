import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '@posthorn/contracts';
import { finding, type Finding } from './finding.js';
import { services, type Records } from './records.js';

/** What is left in the services that have a queue. */
export interface WorkLeft {
  queues: readonly ServiceName[];
  counts: readonly WorkCount[];
}

/** Items of one kind in one state. */
export interface WorkCount {
  kind: string;
  state: string;
  items: number;
  /** Those that nobody has claimed although they have been due for long. */
  overdue: number;
}

const overdueSeconds = 10;
const settleMs = 60_000;
const pauseMs = 500;

const counting = `
  SELECT kind, state, count(*)::int AS items,
         (count(*) FILTER (WHERE state IN ('READY', 'WAITING') AND due_at < now() - interval '${overdueSeconds} seconds'))::int AS overdue
  FROM work_items GROUP BY kind, state ORDER BY kind, state`;

/** The work that is left in each service that has some: once all of it is in order, or after a minute. */
export async function workLeft(records: Records): Promise<WorkLeft> {
  const queues = await queuesOf(records);
  const deadline = performance.now() + settleMs;
  for (;;) {
    const counts = await Promise.all(queues.map((service) => records.query<WorkCount>(service, counting)));
    const left = { queues, counts: counts.flat() };
    if (judgeWork(left).broken.length === 0 || performance.now() > deadline) return left;
    await delay(pauseMs);
  }
}

async function queuesOf(records: Records): Promise<ServiceName[]> {
  const requested = services.map(async (service) => {
    const [table] = await records.query<{ exists: boolean }>(
      service,
      `SELECT to_regclass('work_items') IS NOT NULL AS exists`,
    );
    return table!.exists ? [service] : [];
  });
  return (await Promise.all(requested)).flat();
}

export function judgeWork({ queues, counts }: WorkLeft): Finding {
  return finding(
    'work',
    `work that is claimed a minute after the last fault, dead, or due for more than ${overdueSeconds} s`,
    queues.length,
    counts.flatMap((count) => {
      const { kind, state, items, overdue } = count;
      const isLeft = state === 'CLAIMED' || state === 'SUSPECT' || state === 'DEAD';
      return [
        isLeft ? `${items} of ${kind} are ${state}` : null,
        overdue > 0 ? `${overdue} of ${kind} are overdue` : null,
      ];
    }),
  );
}

export const workLine = ({ counts }: WorkLeft): string =>
  counts.map(({ kind, state, items }) => `${kind} ${state} ${items}`).join(' · ') || 'none';
