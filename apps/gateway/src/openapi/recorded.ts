import { readFileSync } from 'node:fs';

/** Recorded requests and responses of a running product with stable ids and instants (`npm run docs:examples`). */
export interface Recorded {
  operations: Readonly<Record<string, RecordedOperation>>;
  refusals: Readonly<Record<string, unknown>>;
}

interface RecordedOperation {
  request?: unknown;
  answer: unknown;
}

export const recorded = JSON.parse(
  readFileSync(new URL('examples.recorded.json', import.meta.url), 'utf8'),
) as Recorded;
