import { performance } from 'node:perf_hooks';
import type { ServiceName } from '@posthorn/contracts';
import { Fixture, type RunningPostgres } from '../fixture.js';
import { finding, type Finding } from '../judging/finding.js';
import type { ProcessGroup } from '../process-group.js';
import { skewedProcesses } from '../product.js';
import { Random } from '../random.js';

/** What the command line says; each suite reads what it needs. */
export interface SuiteOptions {
  directory: string;
  sends: number;
  faults: number;
  seed: number;
  ratePerSecond: number;
}

export interface Verdict {
  /** One line each, for people. */
  lines: string[];
  figures: Record<string, unknown>;
  findings: Finding[];
}

type Replicas = Partial<Record<ServiceName, number>>;

interface Setup {
  name: string;
  replicas: Replicas;
  environment?: Record<string, string>;
  /** Whether the mail server keeps the bytes, for the judgement. */
  keepsBytes?: boolean;
  clustered?: boolean;
  /** Instead of one of the fixture's own. */
  postgres?: RunningPostgres;
}

/** The product on its servers, and what a suite needs to attack it. */
export class Stage {
  readonly random: Random;

  constructor(
    readonly options: SuiteOptions,
    readonly fixture: Fixture,
    readonly processes: ProcessGroup,
  ) {
    this.random = new Random(options.seed);
  }

  get crashes(): readonly string[] {
    return this.processes.crashes;
  }
}

const shown = 5;

export const oneOfEach: Setup['replicas'] = {
  sending: 1,
  contacts: 1,
  analytics: 1,
  campaigns: 1,
  workflows: 1,
  gateway: 1,
};

/** Starts everything, acts, prints the judgement and stops everything. Returns whether every property held. */
export async function runSuite(
  options: SuiteOptions,
  { name, replicas, environment, keepsBytes = false, clustered = false, postgres }: Setup,
  act: (stage: Stage) => Promise<Verdict>,
): Promise<boolean> {
  const began = performance.now();
  const fixture = await Fixture.start(options.directory, { keepsBytes, clustered, postgres });
  const processes = skewedProcesses(fixture, options, environment);
  const stage = new Stage(options, fixture, processes);
  try {
    await processes.start(replicas);
    const verdict = await act(stage);
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
  console.log('\nProperties:');
  for (const { property, looksFor, looked, broken } of findings) {
    const verdict = broken.length === 0 ? 'held  ' : 'BROKEN';
    console.log(`  ${verdict} ${property.padEnd(10)} ${broken.length} of ${looked}  ${looksFor}`);
    for (const line of broken.slice(0, shown)) console.log(`           ${line}`);
    if (broken.length > shown) console.log(`           … and ${broken.length - shown} more`);
  }
  const broken = findings.filter((each) => each.broken.length > 0).map(({ property }) => property);
  const held = broken.length === 0;
  console.log(
    `\nCHAOS ${JSON.stringify({ suite, seed, seconds: Math.round(seconds), ...figures, held, broken })}`,
  );
  return held;
}

/** How often each state must have been hit. */
export const judgeHits = (hits: Readonly<Record<string, number>>, least: number): Finding =>
  finding(
    'hits',
    `a state that fewer than ${least} faults hit: the run proves little`,
    Object.keys(hits).length,
    Object.entries(hits).map(([state, count]) => (count < least ? `${state}: ${count}` : null)),
  );

/** How often each name comes, for people. */
export const countsText = (counts: Iterable<readonly [string, number]>): string =>
  [...counts].map(([name, count]) => `${name} ${count}`).join(' · ');

/** The same of items that have a name. */
export function countedBy<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
): Record<string, number> {
  const groups = [...Map.groupBy(items, nameOf)].map(([name, each]) => [name, each.length] as const);
  return Object.fromEntries(groups.toSorted());
}

/** Awaited later: an error before that must not end the process, which would leave services behind that stand still. */
export function reportedLater<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}

/** The value below which so much of the sorted numbers lies; 0 where there are none. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
