import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { Loop } from '@posthorn/messaging';

/** Counts that are appended as deltas, so that writers do not wait for each other, and folded into one row later. */
interface CountDeltas {
  deltas: string;
  into: readonly { counts: string; by: readonly string[]; sums: readonly string[] }[];
  /** A condition on `taken`; other deltas are dropped. All count where it is absent. */
  alive?: string;
}

export const countDeltas: readonly CountDeltas[] = [
  {
    deltas: 'contact_count_deltas',
    into: [{ counts: 'contact_counts', by: ['project_id'], sums: ['total', 'subscribed'] }],
  },
  {
    deltas: 'segment_count_deltas',
    into: [{ counts: 'segment_counts', by: ['project_id', 'segment_id'], sums: ['total'] }],
    alive:
      'EXISTS (SELECT FROM segments s WHERE s.project_id = taken.project_id AND s.id = taken.segment_id)',
  },
  {
    deltas: 'list_count_deltas',
    into: [
      {
        counts: 'list_counts',
        by: ['project_id', 'list_id'],
        sums: ['pending', 'confirmed', 'unsubscribed'],
      },
    ],
  },
  {
    deltas: 'event_count_deltas',
    into: [
      { counts: 'event_names', by: ['project_id', 'name'], sums: ['count'] },
      { counts: 'event_days', by: ['project_id', 'day', 'name'], sums: ['count'] },
    ],
  },
];

export async function foldDeltas(
  database: Database,
  { deltas, into, alive = 'true' }: CountDeltas,
  limit: number,
): Promise<number> {
  const parts = into.map(({ counts, by, sums }, index) => {
    const [keys, added] = [
      by.join(', '),
      sums.map((column) => `${column} = known.${column} + excluded.${column}`).join(', '),
    ];
    return `folded${index} AS (
      INSERT INTO ${counts} AS known (${keys}, ${sums.join(', ')})
      SELECT ${keys}, ${sums.map((column) => `sum(${column})`).join(', ')} FROM taken WHERE ${alive} GROUP BY ${keys} ORDER BY ${keys}
      ON CONFLICT (${keys}) DO UPDATE SET ${added}
    )`;
  });
  const [folded] = await database.query<{ deltas: number }>(
    `WITH taken AS (
       DELETE FROM ${deltas} WHERE id = ANY(ARRAY(SELECT id FROM ${deltas} ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING *
     ), ${parts.join(', ')}
     SELECT count(*) AS deltas FROM taken`,
    [limit],
  );
  return folded!.deltas;
}

const everyMs = 30_000;
const minIntervalMs = 1_000;
const batchSize = 10_000;

/** Folds deltas soon after each commit, so that reading a count stays cheap. */
@Injectable()
export class FoldCounts implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('Counts');
  private readonly loop: Loop;
  private readonly unsubscribe: () => void;

  constructor(private readonly database: Database) {
    const onError = (error: unknown) => this.log.warn((error as Error).message);
    this.loop = new Loop({ everyMs, minIntervalMs, work: () => this.fold(), onError });
    this.unsubscribe = database.onCommit(() => this.loop.wakeUp());
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  onModuleDestroy(): Promise<void> {
    this.unsubscribe();
    return this.loop.stop();
  }

  private async fold(): Promise<void> {
    for (const each of countDeltas) while ((await foldDeltas(this.database, each, batchSize)) === batchSize);
  }
}
