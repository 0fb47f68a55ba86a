import { Injectable, Logger } from '@nestjs/common';
import { isDatabaseAway, isDataError, isSerializationFailure } from '@posthorn/database';
import { bisect, Gatherer } from '@posthorn/messaging';
import { Spanned, Tracing } from '@posthorn/telemetry';
import { OutcomesRepository, type OutcomeRow } from './outcomes.repository.js';

const maxGathered = 256;
const retryMs = 250;
const notStorable = 'The error text could not be stored';
/** No hand-off waits for an outcome, and writing outcomes one by one would be the largest cost of a hand-off. */
const lingerMs = 25;
const enough = 64;

/** The message may be out already, so its outcome is written however long that takes, and at worst without texts and events (docs/guarantees.md §3). */
@Injectable()
export class OutcomeRecorder {
  private readonly log = new Logger('OutcomeRecorder');
  private readonly gatherer = new Gatherer<OutcomeRow, void>({
    flush: (rows) => this.write(rows),
    maxItems: maxGathered,
    lingerMs,
    enough,
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

  /** Never rejects: the callers could do nothing about it. */
  private async write(rows: OutcomeRow[]): Promise<void[]> {
    await bisect(
      rows,
      (part) => this.store(part),
      ([row], error) => this.writeReduced(row!, error),
    );
    return rows.map(() => undefined);
  }

  /** Retries until the database answers; throws only where Postgres refuses the content of the rows. */
  private async store(rows: OutcomeRow[]): Promise<[]> {
    for (;;) {
      try {
        await this.outcomes.record(rows);
        return [];
      } catch (error) {
        if (isDataError(error)) throw error;
        this.log.warn(`${rows.length} outcomes wait: ${(error as Error).message}`);
        if (!isDatabaseAway(error) && !isSerializationFailure(error)) this.log.error((error as Error).stack);
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  /** The final state matters more than the error text: writes the outcome without what Postgres may have refused. */
  private async writeReduced(row: OutcomeRow, refused: Error): Promise<[]> {
    this.log.error(`the outcome of ${row.emailId} cannot be stored as it is: ${refused.message}`);
    const { outcome } = row;
    const error = outcome.error === null ? null : notStorable;
    const events = outcome.events.map(({ event, payload }) => ({
      event,
      payload: 'reason' in payload && !('email' in payload) ? { ...payload, reason: error } : payload,
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
