import { readFileSync } from 'node:fs';

/** What a running product was asked and answered, ids and instants made the same each time (`npm run docs:examples`). */
export interface Recorded {
  /** By operationId. */
  operations: Readonly<Record<string, RecordedOperation>>;
  /** By the name of the response's component. */
  refusals: Readonly<Record<string, unknown>>;
}

interface RecordedOperation {
  request?: unknown;
  answer: unknown;
}

export const recorded = JSON.parse(
  readFileSync(new URL('examples.recorded.json', import.meta.url), 'utf8'),
) as Recorded;
