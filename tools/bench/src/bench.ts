import type { SinkProcess } from './processes.js';
import { Product, type Servers } from './product.js';
import type { Row } from './report.js';

/** How much is done; `--quick` only proves that everything runs. */
interface Scale {
  seconds: number;
  rounds: number;
  backlog: number;
  small: number;
  large: number;
  huge: number;
  singles: number;
  drained: number;
  /** Mails of one campaign. */
  campaign: number;
  /** Rows of a small ledger; a large one has as many as the largest audience. */
  ledger: number;
  /** Executions of one workflow. */
  executions: number;
  /** Sizes of an audience. */
  audiences: number[];
  requests: number;
  previews: number;
  /** Events that analytics counts. */
  counted: number;
  /** Items of work that wait. */
  waiting: number;
  restSeconds: number;
  awakenings: number;
}

export const scales: Record<'quick' | 'full', Scale> = {
  quick: {
    seconds: 1,
    rounds: 1,
    backlog: 3_000,
    small: 2_000,
    large: 6_000,
    huge: 10_000,
    singles: 20,
    drained: 2_000,
    campaign: 2_000,
    ledger: 2_000,
    executions: 1_000,
    audiences: [100_000],
    requests: 60,
    previews: 5,
    counted: 20_000,
    waiting: 100_000,
    restSeconds: 10,
    awakenings: 3,
  },
  full: {
    seconds: 10,
    rounds: 3,
    backlog: 10_000,
    small: 5_000,
    large: 50_000,
    huge: 200_000,
    singles: 100,
    drained: 20_000,
    campaign: 100_000,
    ledger: 10_000,
    executions: 10_000,
    audiences: [100_000, 1_000_000],
    requests: 200,
    previews: 20,
    counted: 300_000,
    waiting: 1_000_000,
    restSeconds: 30,
    awakenings: 10,
  },
};

/** What every part of the bench works with. */
export interface Bench {
  servers: Servers;
  sink: SinkProcess;
  scale: Scale;
  rows: Row[];
  /** Each takes every line of Postgres's log. */
  readers: Set<(line: string) => void>;
}

/** The rows at the end must agree: nothing was measured that was not done. */
export async function agree(servers: Servers): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const { emails, events, contacts, counted } = await Product.countsAt(servers);
    if (emails === events && emails === contacts && emails === counted) {
      console.log(
        `rows: ${emails} e-mails = ${events} outbox items = ${contacts} contacts = ${counted} counted`,
      );
      return;
    }
    if (tries > 600)
      throw new Error(`the rows disagree: ${JSON.stringify({ emails, events, contacts, counted })}`);
    await new Promise((next) => setTimeout(next, 200));
  }
}

export function waitMs(numbers: readonly number[]): number {
  return nth(numbers, 0.5);
}

export function nth(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
