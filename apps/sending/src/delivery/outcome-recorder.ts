import { Injectable, Logger } from '@nestjs/common';
import { isDatabaseAway, isPoisonedRow, isSerializationFailure } from '@posthorn/database';
import { Gatherer, Outbox } from '@posthorn/messaging';
import { Spanned, Tracing } from '@posthorn/telemetry';
import { OutcomesRepository, type OutcomeRow } from './outcomes.repository.js';

const maxGathered = 256;
const retryMs = 250;
/** Nobody waits for it, and written one by one outcomes cost Postgres more than anything else that a hand-off does. */
const companyMs = 5;

/** The message is out: only this write matters, so it is tried for as long as the process lives (guarantees.md §3). */
@Injectable()
export class OutcomeRecorder {
  private readonly log = new Logger('OutcomeRecorder');
  private readonly gatherer = new Gatherer<OutcomeRow, void>({
    flush: (rows) => this.write(rows),
    maxItems: maxGathered,
    lingerMs: companyMs,
  });

  constructor(
    private readonly outcomes: OutcomesRepository,
    private readonly outbox: Outbox,
    readonly tracing: Tracing,
  ) {}

  get waiting(): number {
    return this.gatherer.size;
  }

  @Spanned('record', { traces: ({ trace }: OutcomeRow) => [trace] })
  record(row: OutcomeRow): Promise<void> {
    return this.gatherer.submit(row);
  }

  drained(): Promise<void> {
    return this.gatherer.drained();
  }

  private async write(rows: OutcomeRow[]): Promise<void[]> {
    for (;;) {
      try {
        await this.outcomes.record(rows);
        this.outbox.ring();
        return rows.map(() => undefined);
      } catch (error) {
        if (isPoisonedRow(error)) return this.writeApart(rows, error);
        this.log.warn(`${rows.length} outcomes wait: ${(error as Error).message}`);
        if (!isDatabaseAway(error) && !isSerializationFailure(error)) this.log.error((error as Error).stack);
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  /** One row that Postgres refuses must not hold back what is known of the others. */
  private async writeApart(rows: OutcomeRow[], error: unknown): Promise<void[]> {
    if (rows.length > 1) {
      const middle = rows.length >> 1;
      return [...(await this.write(rows.slice(0, middle))), ...(await this.write(rows.slice(middle)))];
    }
    const [row] = rows;
    if (row!.outcome.error === null) throw error;
    // What the server said is the only part that comes from outside.
    return this.write([{ ...row!, outcome: { ...row!.outcome, error: null } }]);
  }
}
