import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DomainError, unavailable } from '@posthorn/contracts';
import type { DmarcReport, MailReport, ReportEnvelope } from '@posthorn/mail';
import { workerModule } from '../rendering/workers/worker-jobs.js';
import { JobAbandoned, WorkerPool } from '../rendering/workers/worker-pool.js';
import type { ReportJob } from './mail-reports.worker.js';

/** A usual report takes a few milliseconds, the worst one that passes the limits of its reader about 100. */
const readMs = 500;

/** Mail of strangers is read beside the event loop, in one thread: its senders wait for each other, and nobody else does. */
@Injectable()
export class ReportThreads implements OnModuleDestroy {
  private readonly pool = new WorkerPool<ReportJob, MailReport | DmarcReport | null>({
    module: workerModule(import.meta.url, './mail-reports.worker.js'),
    threads: 1,
    jobMs: readMs,
  });

  async onModuleDestroy(): Promise<void> {
    await this.pool.close();
  }

  /** Null where the mail reports nothing; it is refused as `invalid` where it cannot be read. */
  async read(raw: Uint8Array, envelope: ReportEnvelope): Promise<MailReport | null> {
    return (await this.run({ kind: 'MAIL', raw, ...envelope })) as MailReport | null;
  }

  /** Refused as `invalid` where it is no aggregate report. */
  async readDmarc(raw: Uint8Array): Promise<DmarcReport> {
    return (await this.run({ kind: 'DMARC', raw })) as DmarcReport;
  }

  private async run(job: ReportJob): Promise<MailReport | DmarcReport | null> {
    const [report] = await this.pool.run([job]);
    if (!(report instanceof Error)) return report ?? null;
    throw report instanceof JobAbandoned && !report.endedItsThread
      ? unavailable()
      : new DomainError('invalid', 'validation_error', `The mail cannot be read: ${report.message}`);
  }
}
