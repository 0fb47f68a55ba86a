import { Injectable } from '@nestjs/common';
import {
  dmarc,
  maxDmarcSources,
  policiesOfDmarc,
  type DmarcCounts,
  type DmarcOverview,
  type DmarcSource,
  type DomainDmarc,
  type GetDmarc,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { buildDmarcAddress, type DmarcPolicy } from '@posthorn/mail';
import { SendingConfig } from '../config.js';
import { DomainsRepository } from '../domains/domains.repository.js';
import type { DomainRow } from '../domains/domain.entity.js';
import {
  DmarcRepository,
  measures,
  type CountedSource,
  type FoundReports,
  type FoundSource,
} from './dmarc.repository.js';

@Injectable()
export class DmarcService {
  constructor(
    private readonly domains: DomainsRepository,
    private readonly reports: DmarcRepository,
    private readonly config: SendingConfig,
  ) {}

  @Handles(dmarc.overview)
  async overview({ caller: { projectId }, body }: Incoming<GetDmarc>): Promise<DmarcOverview> {
    const { from, to, domain } = body;
    const [rows, reports, sources] = await Promise.all([
      this.domains.all(projectId),
      this.reports.reports(projectId, { from, to }),
      this.reports.sources(projectId, { from, to }, maxDmarcSources),
    ]);
    const ofDomain = rows
      .filter((row) => domain === undefined || row.domain === domain.toLowerCase())
      .sort((one, other) => (one.domain < other.domain ? -1 : 1));
    return {
      data: ofDomain.map((row) =>
        this.shown(
          row,
          reports.find((each) => each.domain === row.domain),
          sources.filter((each) => each.domain === row.domain),
        ),
      ),
      window: { from, to },
    };
  }

  private shown(
    row: DomainRow,
    reports: FoundReports | undefined,
    sources: readonly (FoundSource & { isTotal: boolean })[],
  ): DomainDmarc {
    const reportingAddress = this.addressOf(row);
    const policy = reports ? named(reports.policy) : null;
    return {
      domain: row.domain,
      reportingAddress,
      record: reportingAddress === null ? null : recordOf(row, reports?.policy ?? 'none', reportingAddress),
      policy,
      lastReportAt: reports?.lastReportAt ?? null,
      reports: reports?.reports ?? 0,
      reporters: reports?.reporters ?? [],
      counts: countsOf(sources.find(({ isTotal }) => isTotal)),
      sources: sources.filter(({ isTotal }) => !isTotal).map(sourceOf),
    };
  }

  /** Where bounces go: as a rule below the domain itself, where receivers need no further record to send reports. */
  private addressOf({ projectId, domain: own, mailFromDomain }: DomainRow): string | null {
    const { inboundPort, returnPathDomain, secretKey: secret } = this.config;
    const domain = mailFromDomain ?? returnPathDomain ?? own;
    return inboundPort === undefined ? null : buildDmarcAddress(projectId, { domain, secret });
  }
}

const named = (policy: DmarcPolicy): (typeof policiesOfDmarc)[number] =>
  policiesOfDmarc.find((each) => each === policy.toUpperCase())!;

const recordOf = ({ domain }: DomainRow, policy: DmarcPolicy, address: string) => ({
  name: `_dmarc.${domain}`,
  value: `v=DMARC1; p=${policy}; rua=mailto:${address}`,
});

const countsOf = (found: DmarcCounts | undefined): DmarcCounts =>
  Object.fromEntries(measures.map((measure) => [measure, found?.[measure] ?? 0])) as unknown as DmarcCounts;

const sourceOf = (found: CountedSource): DmarcSource => ({
  source: found.source || 'other',
  signedBy: found.signedBy || null,
  returnPath: found.returnPath || null,
  counts: countsOf(found),
});
