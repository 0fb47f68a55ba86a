import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { readDmarcAddress, type DmarcReport, type DmarcRow } from '@posthorn/mail';
import { DomainError, unavailable } from '@posthorn/contracts';
import { SendingConfig } from '../config.js';
import { ReportThreads } from '../return-path/report-threads.js';
import { DmarcRepository, measures, type CountedSource } from './dmarc.repository.js';

const maxReportsADay = 1_000;
const maxSources = 200;

/** Mail of receivers to the reporting address of a project (docs/decisions/0050-dmarc.md). */
@Injectable()
export class DmarcIntake {
  constructor(
    private readonly reports: DmarcRepository,
    private readonly threads: ReportThreads,
    private readonly config: SendingConfig,
  ) {}

  /** Null for any other address. */
  projectOf(address: string): string | null {
    return readDmarcAddress(address, this.config.secretKeys);
  }

  /** Resolves when its figures are on disk, with the number of new reports; refuses what is none as `invalid`. */
  async take(projectId: string, raw: Buffer): Promise<number> {
    const report = await this.threads.readDmarc(raw);
    const domain = ownDomain(report.domain, await this.reports.domainsOf(projectId));
    if (domain === null)
      throw new DomainError('invalid', 'validation_error', `${report.domain} is no domain of the project`);
    if ((await this.reports.countReceived(projectId)) >= maxReportsADay) throw unavailable();
    const { reporter, policy, from, to } = report;
    const added = await this.reports.add(projectId, {
      domain,
      reporter,
      reportId: idOf(report),
      policy,
      day: new Date((from.getTime() + to.getTime()) / 2),
      sources: largest(sourcesOf(rowsOf(report, domain))),
    });
    return added ? 1 : 0;
  }
}

/** A report about the organisation's domain is about the sending domains below it, one about a host is about the domain above it. */
function ownDomain(reported: string, domains: readonly string[]): string | null {
  return (
    domains.find((each) => each === reported) ??
    domains.find((each) => each.endsWith(`.${reported}`)) ??
    domains.find((each) => reported.endsWith(`.${each}`)) ??
    null
  );
}

/** Of the organisation's report only what is about the sending domain. */
const rowsOf = (report: DmarcReport, domain: string): DmarcRow[] =>
  domain.endsWith(`.${report.domain}`)
    ? report.rows.filter(({ headerFrom }) => headerFrom === domain || headerFrom.endsWith(`.${domain}`))
    : report.rows;

function sourcesOf(rows: readonly DmarcRow[]): CountedSource[] {
  const sources = new Map<string, CountedSource>();
  for (const row of rows) {
    const { source, dkimDomain: signedBy, spfDomain: returnPath } = row;
    add(sources, { ...countsOf(row), source, signedBy, returnPath });
  }
  return [...sources.values()];
}

function largest(sources: readonly CountedSource[]): CountedSource[] {
  const sorted = [...sources].sort((one, other) => other.messages - one.messages);
  const kept = new Map<string, CountedSource>();
  for (const [place, each] of sorted.entries())
    add(kept, place < maxSources ? each : { ...each, source: '', signedBy: '', returnPath: '' });
  return [...kept.values()];
}

function add(to: Map<string, CountedSource>, one: CountedSource): void {
  const key = `${one.source} ${one.signedBy} ${one.returnPath}`;
  const sum = to.get(key);
  if (!sum) to.set(key, { ...one });
  else for (const measure of measures) sum[measure] += one[measure];
}

function countsOf({ messages, dkimAligned, spfAligned, disposition }: DmarcRow) {
  const where = (holds: boolean) => (holds ? messages : 0);
  return {
    messages,
    passed: where(dkimAligned || spfAligned),
    dkimAligned: where(dkimAligned),
    spfAligned: where(spfAligned),
    quarantined: where(disposition === 'quarantine'),
    rejected: where(disposition === 'reject'),
  };
}

/** As the reporter calls it, which may be long. */
const idOf = ({ reportId }: DmarcReport): string =>
  reportId.length <= 128 ? reportId : createHash('sha256').update(reportId).digest('base64url');
