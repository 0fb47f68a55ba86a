import { performance } from 'node:perf_hooks';
import type { ServiceName } from '@posthorn/contracts';
import { Fixture } from '../fixture.js';
import type { Finding } from '../judging/finding.js';
import { printFindings } from '../judging/report.js';
import type { ProcessGroup } from '../process-group.js';
import { skewedProcesses } from '../product.js';
import { Random } from '../random.js';

/** What the command line says; each suite reads what it needs. */
export interface SuiteOptions {
  directory: string;
  sends: number;
  faults: number;
  cases: number;
  seed: number;
  ratePerSecond: number;
}

export interface Verdict {
  /** One line each, for people. */
  lines: string[];
  figures: Record<string, unknown>;
  findings: Finding[];
}

/** The product on its servers, and what a suite needs to attack it. */
export interface Stage {
  options: SuiteOptions;
  fixture: Fixture;
  processes: ProcessGroup;
  random: Random;
}

interface Setup {
  name: string;
  replicas: Partial<Record<ServiceName, number>>;
  environment?: Record<string, string>;
}

export const oneOfEach: Setup['replicas'] = {
  ...{ sending: 1, contacts: 1, analytics: 1, campaigns: 1, workflows: 1, gateway: 1 },
};

/** Starts everything, acts, prints the judgement and stops everything. Answers whether every property held. */
export async function runSuite(
  options: SuiteOptions,
  { name, replicas, environment }: Setup,
  act: (stage: Stage) => Promise<Verdict>,
): Promise<boolean> {
  const began = performance.now();
  const fixture = await Fixture.start(options.directory, { keepsBytes: false });
  const processes = skewedProcesses(fixture, options, environment);
  try {
    await processes.start(replicas);
    const verdict = await act({ options, fixture, processes, random: new Random(options.seed) });
    return conclude(name, options.seed, (performance.now() - began) / 1_000, verdict);
  } finally {
    await processes.stop();
    await fixture.stop();
  }
}

function conclude(
  suite: string,
  seed: number,
  seconds: number,
  { lines, figures, findings }: Verdict,
): boolean {
  console.log('');
  for (const line of lines) console.log(line);
  const { held, broken } = printFindings(findings);
  console.log(
    `\nCHAOS ${JSON.stringify({ suite, seed, seconds: Math.round(seconds), ...figures, held, broken })}`,
  );
  return held;
}

/** The value below which so much of the sorted numbers lies; 0 where there are none. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
