import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { boundedText, normaliseAddress, type ProviderEvent } from '@posthorn/contracts';
import { containsReturnPath, readReturnPath, type MailReport, type ReturnPathTarget } from '@posthorn/mail';
import { SendingConfig } from '../config.js';
import { DmarcIntake } from '../dmarc/dmarc-intake.js';
import { ProviderEventsService } from '../provider-events/provider-events.service.js';
import { ReportThreads } from './report-threads.js';

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
    private readonly dmarc: DmarcIntake,
  ) {}

  /** Whether mail to the address is about a message of ours, about one that its report may name, or about a domain. */
  accepts(address: string): boolean {
    return (
      this.targetOf(address) !== null ||
      mailboxOf(address) === complaintMailbox ||
      this.dmarc.projectOf(address) !== null
    );
  }

  /** Resolves when everything that the mail reports is on disk, with the number of new events and reports. */
  async take(to: ReportedTo, raw: Buffer): Promise<number> {
    const projects = new Set(to.recipients.flatMap((address) => this.dmarc.projectOf(address) ?? []));
    let taken = 0;
    for (const projectId of projects) taken += await this.dmarc.take(projectId, raw);
    const others = to.recipients.filter((address) => this.dmarc.projectOf(address) === null);
    return others.length > 0 ? taken + (await this.takeEvents({ ...to, recipients: others }, raw)) : taken;
  }

  private async takeEvents({ sender, recipients }: ReportedTo, raw: Buffer): Promise<number> {
    const targets = recipients.flatMap((address) => this.targetOf(address) ?? []);
    // Anyone may write to the address for complaints, and only a message of ours has what makes it one.
    if (targets.length === 0 && !containsReturnPath(raw, this.config.secretKeys)) return 0;
    const report = await this.threads.read(raw, { hasNullSender: sender === '' && targets.length > 0 });
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
