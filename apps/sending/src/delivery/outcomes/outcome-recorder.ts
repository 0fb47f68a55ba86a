import { Injectable, Logger } from '@nestjs/common';
import { isDatabaseAway, isPoisonedRow, isSerializationFailure } from '@posthorn/database';
import { bisect, Gatherer } from '@posthorn/messaging';
import { Spanned, Tracing } from '@posthorn/telemetry';
import { OutcomesRepository, type OutcomeRow } from './outcomes.repository.js';

const maxGathered = 256;
const retryMs = 250;
const notStorable = 'What was said of it could not be stored';
/** Nobody waits for it, and written one by one outcomes cost Postgres more than anything else that a hand-off does. */
const lingerMs = 5;

/** The message is out: only this write matters, so it is tried for as long as the process lives (docs/guarantees.md §3). */
@Injectable()
export class OutcomeRecorder {
  private readonly log = new Logger('OutcomeRecorder');
  private readonly gatherer = new Gatherer<OutcomeRow, void>({
    flush: (rows) => this.write(rows),
    maxItems: maxGathered,
    lingerMs,
  });

  constructor(
    private readonly outcomes: OutcomesRepository,
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

  /** Never rejects: whoever waits for an outcome can do nothing about it. */
  private async write(rows: OutcomeRow[]): Promise<void[]> {
    await bisect(
      rows,
      (part) => this.store(part),
      ([row], error) => this.writeReduced(row!, error),
    );
    return rows.map(() => undefined);
  }

  /** Tries until the database answers; throws only where Postgres refuses the content of the rows. */
  private async store(rows: OutcomeRow[]): Promise<[]> {
    for (;;) {
      try {
        await this.outcomes.record(rows);
        return [];
      } catch (error) {
        if (isPoisonedRow(error)) throw error;
        this.log.warn(`${rows.length} outcomes wait: ${(error as Error).message}`);
        if (!isDatabaseAway(error) && !isSerializationFailure(error)) this.log.error((error as Error).stack);
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  /** That a message has ended matters more than its error text: the outcome is written without what Postgres may have refused. */
  private async writeReduced(row: OutcomeRow, refused: Error): Promise<[]> {
    this.log.error(`the outcome of ${row.emailId} cannot be stored as it is: ${refused.message}`);
    const { outcome } = row;
    const error = outcome.error === null ? null : notStorable;
    const events = outcome.events.map(({ event, members }) => ({
      event,
      members: 'reason' in members && !('email' in members) ? { ...members, reason: error } : members,
    }));
    const plain = { ...row, subject: null, outcome: { ...outcome, error, attempt: null, events } };
    try {
      return await this.store([plain]).catch(() =>
        this.store([{ ...plain, trace: null, outcome: { ...plain.outcome, events: [] } }]),
      );
    } catch (last) {
      this.log.error(`the outcome of ${row.emailId} is lost: ${(last as Error).message}`);
      return [];
    }
  }
}
