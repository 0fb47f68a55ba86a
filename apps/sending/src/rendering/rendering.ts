import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { boundedText, DomainError, invalid, type Finding, type RenderedTemplate } from '@posthorn/contracts';
import type { CompiledMjml } from './mjml.js';
import type { MjmlJob } from './mjml.worker.js';
import type { LintSource, PreviewSource } from './preview.js';
import type { RenderingJob } from './rendering.worker.js';
import { checkSource, type CheckedSource, type SourceFault } from './template-check.js';
import { workerModule } from './workers/worker-jobs.js';
import { WorkerPool } from './workers/worker-pool.js';

/** Parsing longer sources takes longer than handing them to a thread. */
const longSource = 32 * 1024;
/** Longer than the limit of a message, since a preview also lints the result. */
const previewMs = 1_200;
/** Without the second that loading the compiler takes on a small machine. */
const compileMs = 3_000;
const compilerHeapMb = 256;

const maxReason = 1_000;
const cannot = (reason: string) =>
  new DomainError(
    'invalid',
    'validation_error',
    `The template cannot be rendered: ${boundedText(reason, maxReason)}`,
  );

@Injectable()
export class Rendering implements OnModuleDestroy {
  private readonly sources = new WorkerPool<RenderingJob, unknown>({
    module: workerModule(import.meta.url, './rendering.worker.js'),
    threads: 1,
    jobMs: previewMs,
  });

  private readonly compiler = new WorkerPool<MjmlJob, CompiledMjml>({
    module: workerModule(import.meta.url, './mjml.worker.js'),
    threads: 1,
    jobMs: compileMs,
    limits: { heapMb: compilerHeapMb },
  });

  async onModuleDestroy(): Promise<void> {
    await Promise.all([this.sources.close(), this.compiler.close()]);
  }

  async check(member: string, source: string): Promise<CheckedSource> {
    const checked =
      source.length > longSource
        ? ((await this.request({ check: source })) as CheckedSource | SourceFault)
        : checkSource(source);
    if (!('message' in checked)) return checked;
    throw faulty(member, [checked]);
  }

  async preview(source: PreviewSource): Promise<RenderedTemplate> {
    return (await this.request({ preview: source })) as RenderedTemplate;
  }

  async lint(source: LintSource): Promise<Finding[]> {
    return (await this.request({ lint: source })) as Finding[];
  }

  async compile(mjml: string): Promise<string> {
    const [compiled] = await this.compiler.run([mjml]);
    if (compiled instanceof Error) throw cannot(compiled.message);
    if (compiled!.faults.length > 0) throw faulty('body', compiled!.faults);
    return compiled!.html;
  }

  private async request(job: RenderingJob): Promise<unknown> {
    const [answer] = await this.sources.run([job]);
    if (answer instanceof Error) throw cannot(answer.message);
    return answer;
  }
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
