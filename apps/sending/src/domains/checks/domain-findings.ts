import { Injectable } from '@nestjs/common';
import type { RecordStatus } from '@posthorn/contracts';
import { dnsRecordOf } from '@posthorn/mail';
import { SendingConfig } from '../../config.js';
import type { DkimKeyRow } from '../dkim/dkim-key.entity.js';
import { DnsLookup, type Answer } from './dns-lookup.js';
import { judgeHosts, judgeKey, judgePolicy } from './domain-check.js';
import type { DomainRow, Findings } from '../domain.entity.js';
import { checkSpf, type SpfSender } from './spf-evaluation.js';
import { mailFromOf, trackingTarget } from './domain-records.js';
import { organisationOf } from './host-names.js';

export interface Found extends Omit<Findings, 'proof'> {
  keys: Map<string, RecordStatus>;
}

@Injectable()
export class DomainFindings {
  constructor(
    private readonly dns: DnsLookup,
    private readonly config: SendingConfig,
  ) {}

  async of(row: DomainRow, keys: readonly DkimKeyRow[], signal: AbortSignal): Promise<Found> {
    const { domain, trackingHost, receivingEnabled } = row;
    const { mailHost } = this.config;
    const mailFromDomain = row.mailFromDomain ?? mailFromOf(domain, this.config);
    const organisation = organisationOf(domain);
    const [found, returns, spf, own, above, aliases, receives] = await Promise.all([
      this.keysOf(domain, keys, signal),
      mailFromDomain ? this.dns.mx(mailFromDomain, signal) : null,
      mailFromDomain ? checkSpf(mailFromDomain, this.sender, this.dns, signal) : null,
      this.dns.txt(`_dmarc.${domain}`, signal),
      organisation === domain ? [] : this.dns.txt(`_dmarc.${organisation}`, signal),
      trackingHost ? this.dns.aliases(trackingHost, signal) : null,
      receivingEnabled ? this.dns.mx(domain, signal) : null,
    ]);
    const judged = <Requested>(
      requested: Requested | null | undefined,
      judge: () => RecordStatus,
    ): RecordStatus => (requested ? judge() : 'NOT_CHECKED');
    return {
      mailFromDomain,
      keys: found,
      spf: spf ?? { status: 'NOT_CHECKED', problem: null },
      mailFrom: judged(mailFromDomain && mailHost, () => judgeHosts(returns, mailHost!)),
      policy: judgePolicy(own, above),
      tracking: judged(trackingHost, () => judgeHosts(aliases, trackingTarget(this.config))),
      receiving: judged(receivingEnabled && mailHost, () => judgeHosts(receives, mailHost!)),
    };
  }

  /** With an include, the hosts of a provider send, and not the one that gets the bounces. */
  private get sender(): SpfSender {
    const { mailHost, spfInclude: include } = this.config;
    return { mailHost: include ? undefined : mailHost, include };
  }

  private async keysOf(
    domain: string,
    keys: readonly DkimKeyRow[],
    signal: AbortSignal,
  ): Promise<Map<string, RecordStatus>> {
    const answers: Answer[] = await Promise.all(
      keys.map((key) => this.dns.txt(dnsRecordOf({ ...key, domain }).name, signal)),
    );
    return new Map(keys.map((key, index) => [key.id, judgeKey(answers[index]!, key)]));
  }
}
