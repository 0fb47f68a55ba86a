import { createHash } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import {
  boundedText,
  normaliseAddress,
  type ProviderEvent,
  DomainError,
  unavailable,
} from '@posthorn/contracts';
import { containsReturnPath, readReturnPath, type MailReport, type ReturnPathTarget } from '@posthorn/mail';
import { SendingConfig } from '../config.js';
import { ProviderEventsService } from '../provider-events/provider-events.service.js';
import { workerModule } from '../rendering/workers/worker-jobs.js';
import { JobAbandoned, WorkerPool } from '../rendering/workers/worker-pool.js';
import type { ReportJob } from './mail-reports.worker.js';

/** A usual report takes a few milliseconds, the worst one that passes the limits of `readMailReport` about 100. */
const readMs = 500;

/** Mail of strangers is read beside the event loop, in one thread: its senders wait for each other, and nobody else does. */
@Injectable()
export class ReportThreads implements OnModuleDestroy {
  private readonly pool = new WorkerPool<ReportJob, MailReport | null>({
    module: workerModule(import.meta.url, './mail-reports.worker.js'),
    threads: 1,
    jobMs: readMs,
  });

  async onModuleDestroy(): Promise<void> {
    await this.pool.close();
  }

  /** Null where the mail reports nothing; it is refused as `invalid` where it cannot be read. */
  async read(job: ReportJob): Promise<MailReport | null> {
    const [report] = await this.pool.run([job]);
    if (!(report instanceof Error)) return report ?? null;
    throw report instanceof JobAbandoned && !report.endedItsThread
      ? unavailable()
      : new DomainError('invalid', 'validation_error', `The mail cannot be read: ${report.message}`);
  }
}

/** Complaints of feedback loops go to an address that does not identify a message; the report names its return path. */
const complaintMailbox = 'complaints';

/** Of the envelope. */
export interface ReportedTo {
  /** Empty where nothing may answer. */
  sender: string;
  recipients: readonly string[];
}

@Injectable()
export class MailReports {
  constructor(
    private readonly events: ProviderEventsService,
    private readonly config: SendingConfig,
    private readonly threads: ReportThreads,
  ) {}

  /** Whether mail to the address is about a message of ours, or about one that its report may name. */
  accepts(address: string): boolean {
    return this.targetOf(address) !== null || mailboxOf(address) === complaintMailbox;
  }

  /** Resolves when everything that the mail reports is on disk, with the number of new events. */
  async take({ sender, recipients }: ReportedTo, raw: Buffer): Promise<number> {
    const targets = recipients.flatMap((address) => this.targetOf(address) ?? []);
    // Anyone may write to the address for complaints, and only a message of ours has what makes it one.
    if (targets.length === 0 && !containsReturnPath(raw, this.config.secretKeys)) return 0;
    const report = await this.threads.read({ raw, hasNullSender: sender === '' && targets.length > 0 });
    if (!report) return 0;
    const named = report.returnPaths.flatMap((address) => this.targetOf(address) ?? []).slice(0, 1);
    const events = (targets.length > 0 ? targets : named).map((target) => eventOf(report, target, raw));
    return events.length > 0 ? (await this.events.record({ items: events })).recorded : 0;
  }

  private targetOf(address: string): ReturnPathTarget | null {
    return readReturnPath(address, this.config.secretKeys);
  }
}

/** A repeated transmission has the same content, and whatever a server reports twice has other times. */
function eventOf(
  { form, kind, statusCode, replyCode, at, recipient, detail, host }: MailReport,
  target: ReturnPathTarget,
  raw: Buffer,
): ProviderEvent {
  return {
    source: form === 'arf' ? 'arf' : 'dsn',
    eventId: createHash('sha256').update(raw).digest('base64url'),
    ...target,
    recipient: (recipient && normaliseAddress(recipient)) ?? undefined,
    kind,
    statusCode,
    replyCode,
    at,
    detail: detail && boundedText(detail, 1_000),
    host: host && boundedText(host, 255),
  };
}

const mailboxOf = (address: string): string => address.slice(0, address.lastIndexOf('@')).toLowerCase();
