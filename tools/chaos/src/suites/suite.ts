import { performance } from 'node:perf_hooks';
import type { ServiceName } from '@posthorn/contracts';
import { Fixture } from '../fixture.js';
import type { Finding } from '../judging/finding.js';
import { printFindings } from '../judging/report.js';
import type { ProcessGroup, ServiceStarter } from '../process-group.js';
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

type Replicas = Partial<Record<ServiceName, number>>;

interface Setup {
  name: string;
  replicas: Replicas;
  environment?: Record<string, string>;
}

interface Start {
  replicas: Replicas;
  environment?: Record<string, string> | undefined;
  program?: ServiceStarter | undefined;
}

/** The product on its servers, and what a suite needs to attack it. */
export class Stage {
  readonly random: Random;
  private group: ProcessGroup | null = null;
  private readonly groups: ProcessGroup[] = [];

  constructor(
    readonly options: SuiteOptions,
    readonly fixture: Fixture,
  ) {
    this.random = new Random(options.seed);
  }

  get processes(): ProcessGroup {
    return this.group!;
  }

  get crashes(): string[] {
    return this.groups.flatMap(({ crashes }) => crashes);
  }

  get badExits(): string[] {
    return this.groups.flatMap(({ badExits }) => badExits);
  }

  /** All processes anew, perhaps of another build or with other settings; those that run must have been stopped. */
  async start({ replicas, environment, program }: Start): Promise<void> {
    this.group = skewedProcesses(this.fixture, this.options, environment, program);
    this.groups.push(this.group);
    await this.group.start(replicas);
  }
}

export const oneOfEach: Setup['replicas'] = {
  ...{ sending: 1, contacts: 1, analytics: 1, campaigns: 1, workflows: 1, gateway: 1 },
};

/** Starts everything, acts, prints the judgement and stops everything. Returns whether every property held. */
export async function runSuite(
  options: SuiteOptions,
  { name, replicas, environment }: Setup,
  act: (stage: Stage) => Promise<Verdict>,
): Promise<boolean> {
  const began = performance.now();
  const fixture = await Fixture.start(options.directory, { keepsBytes: false });
  const stage = new Stage(options, fixture);
  try {
    await stage.start({ replicas, environment });
    const verdict = await act(stage);
    return conclude(name, options.seed, (performance.now() - began) / 1_000, verdict);
  } finally {
    await stage.processes.stop();
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
