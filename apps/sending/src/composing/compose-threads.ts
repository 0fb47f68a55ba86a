import type { MessageTexts } from '../rendering/liquid/liquid.js';
import { FairJobs } from '../rendering/workers/fair-jobs.js';
import { WorkerPool } from '../rendering/workers/worker-pool.js';
import { workerModule } from '../rendering/workers/worker-jobs.js';
import { compose, type ComposeResult, type ComposeJob } from './compose.js';

const threads = 2;
/** Composing a larger message would block the event loop too long. */
const maxSmallLength = 128 * 1024;
const largeMs = 30_000;
/** Signing holds several copies of a message with 10 MiB of attachments. */
const largeHeapMb = 256;

/** Liquid and DKIM in worker threads, which projects share; attachments and large texts in one with more memory; the rest here, because a thread would cost more. */
export class ComposeThreads {
  private readonly commonPool: WorkerPool<ComposeJob, ComposeResult>;
  private readonly largePool: WorkerPool<ComposeJob, ComposeResult>;
  private readonly commonQueue: FairJobs<ComposeJob, ComposeResult>;

  constructor() {
    const module = workerModule(import.meta.url, './compose.worker.js');
    this.commonPool = new WorkerPool({ module, threads });
    this.commonQueue = new FairJobs({ pool: this.commonPool, threads });
    const transferOf = ({ files }: ComposeJob) => files.map(({ data }) => data.buffer as ArrayBuffer);
    this.largePool = new WorkerPool({
      module,
      threads: 1,
      jobMs: largeMs,
      limits: { heapMb: largeHeapMb },
      transferOf,
    });
  }

  /** Transfers the attachments of the job to the thread: the caller can no longer read them. */
  async compose(job: ComposeJob): Promise<ComposeResult | Error> {
    if (job.files.length > 0 || sizeOf(job.texts) > maxSmallLength) return this.composeLarge(job);
    return job.liquid || job.keys.length > 0 ? this.queue(job) : composeHere(job);
  }

  async close(): Promise<void> {
    await Promise.all([this.commonPool.close(), this.largePool.close()]);
  }

  /** The limits for templates hold for the rendering alone, so it runs in the common pool first. */
  private async composeLarge(job: ComposeJob): Promise<ComposeResult | Error> {
    if (!job.liquid) return this.runLarge(job);
    const rendered = await this.queue({ ...job, files: [], keys: [], trackOpens: false, trackClicks: false });
    return rendered instanceof Error
      ? rendered
      : this.runLarge({ ...job, texts: rendered.texts, liquid: null });
  }

  private async runLarge(job: ComposeJob): Promise<ComposeResult | Error> {
    const [composed] = await this.largePool.run([job]);
    return composed!;
  }

  private queue(job: ComposeJob): Promise<ComposeResult | Error> {
    return this.commonQueue.run(job.projectId, job);
  }
}

const sizeOf = ({ html, text }: MessageTexts): number => html.length + (text?.length ?? 0);

function composeHere(job: ComposeJob): ComposeResult | Error {
  try {
    return compose(job);
  } catch (error) {
    return error as Error;
  }
}
