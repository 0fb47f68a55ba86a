import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import {
  boundedText,
  DomainError,
  invalid,
  unavailable,
  type Finding,
  type RenderedTemplate,
} from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import type { UsesSource } from './analysis.js';
import type { CompiledMjml } from './mjml.js';
import type { MjmlJob } from './mjml.worker.js';
import type { LintSource, PreviewSource } from './preview.js';
import type { RenderingJob } from './rendering.worker.js';
import type { TextsSource } from './liquid/liquid.js';
import { checkSource, type CheckedSource, type SourceFault } from './template-check.js';
import { FairJobs } from './workers/fair-jobs.js';
import { workerModule } from './workers/worker-jobs.js';
import { JobAbandoned, WorkerPool } from './workers/worker-pool.js';

/** Parsing longer sources takes longer than handing them to a thread. */
const longSource = 32 * 1024;
/** Longer than the limit of a message, since a preview also lints the result. */
const previewMs = 1_200;
/** Without the second that loading the compiler takes on a small machine. */
const compileMs = 3_000;
const compilerHeapMb = 256;
/** The second one begins only where projects wait for each other, and is never used by slow ones. */
const threads = 2;
/** A batch of sends checks its sources one by one, but several calls may come together. */
const waitingSources = 200;
const waitingMjml = 16;
/** Usual previews and compilations are quicker. */
const slowSourceMs = 100;
const slowMjmlMs = 300;

/** For whom something is rendered; a job that could only begin when nobody waits for it any more never does. */
export interface JobOwner {
  projectId: string;
  deadline: Date | null;
}

const maxReason = 1_000;
const cannot = (reason: string) =>
  new DomainError(
    'invalid',
    'validation_error',
    `The template cannot be rendered: ${boundedText(reason, maxReason)}`,
  );

/** What users wait for; delivery has threads of its own (`ComposeThreads`). */
@Injectable()
export class Rendering implements OnModuleDestroy {
  private readonly sourceThreads = new WorkerPool<RenderingJob, unknown>({
    module: workerModule(import.meta.url, './rendering.worker.js'),
    threads,
    jobMs: previewMs,
  });

  private readonly sources = new FairJobs({
    pool: this.sourceThreads,
    threads,
    slowMs: slowSourceMs,
    bound: { what: 'templates', waitingPerProject: waitingSources },
  });

  private readonly compilerThreads = new WorkerPool<MjmlJob, CompiledMjml>({
    module: workerModule(import.meta.url, './mjml.worker.js'),
    threads,
    jobMs: compileMs,
    limits: { heapMb: compilerHeapMb },
  });

  private readonly compiler = new FairJobs({
    pool: this.compilerThreads,
    threads,
    slowMs: slowMjmlMs,
    bound: { what: 'MJML sources', waitingPerProject: waitingMjml },
  });

  constructor(private readonly clock: DatabaseClock) {}

  async onModuleDestroy(): Promise<void> {
    await Promise.all([this.sourceThreads.close(), this.compilerThreads.close()]);
  }

  async check(owner: JobOwner, member: string, source: string): Promise<CheckedSource> {
    const checked =
      source.length > longSource
        ? ((await this.request(owner, { check: source })) as CheckedSource | SourceFault)
        : checkSource(source);
    if (!('message' in checked)) return checked;
    throw faulty(member, [checked]);
  }

  async preview(owner: JobOwner, source: PreviewSource): Promise<RenderedTemplate> {
    return (await this.request(owner, { preview: source })) as RenderedTemplate;
  }

  async failureOf(owner: JobOwner, source: PreviewSource): Promise<string | null> {
    return failureIn(await this.run(owner, { tryOut: source }));
  }

  /** The texts in their order, or why one of them cannot be rendered. */
  async texts(owner: JobOwner, texts: TextsSource): Promise<string[] | string> {
    const answer = await this.run(owner, { texts });
    return failureIn(answer) ?? (answer as string[]);
  }

  /** Variables that the sources refer to; what is below one is used as a whole. */
  async uses(owner: JobOwner, source: UsesSource): Promise<string[]> {
    return (await this.request(owner, { uses: source })) as string[];
  }

  async lint(owner: JobOwner, source: LintSource): Promise<Finding[]> {
    return (await this.request(owner, { lint: source })) as Finding[];
  }

  async compile(owner: JobOwner, mjml: string): Promise<string> {
    const compiled = renderedOf(
      await this.compiler.run(owner.projectId, mjml, await this.clock.msUntil(owner.deadline)),
    );
    if (compiled.faults.length > 0) throw faulty('body', compiled.faults);
    return compiled.html;
  }

  private async request(owner: JobOwner, job: RenderingJob): Promise<unknown> {
    return renderedOf(await this.run(owner, job));
  }

  private async run({ projectId, deadline }: JobOwner, job: RenderingJob): Promise<unknown> {
    return this.sources.run(projectId, job, await this.clock.msUntil(deadline));
  }
}

/** A job that is abandoned through no fault of its own shared its thread with another, or the service ends. */
function renderedOf<Result>(answer: Result | Error): Result {
  if (!(answer instanceof Error)) return answer;
  throw answer instanceof JobAbandoned && !answer.endedItsThread ? unavailable() : cannot(answer.message);
}

function failureIn(answer: unknown): string | null {
  if (!(answer instanceof Error)) return null;
  if (answer instanceof JobAbandoned && !answer.endedItsThread) throw unavailable();
  return boundedText(answer.message, maxReason);
}

const maxFaults = 20;

function faulty(member: string, faults: { line: number; column?: number; message: string }[]): DomainError {
  return invalid(
    faults.slice(0, maxFaults).map(({ line, column, message }) => ({
      path: [member],
      code: 'invalid_format',
      message: `line ${line}${column === undefined ? '' : `, column ${column}`}: ${boundedText(message, maxReason)}`,
    })),
  );
}
