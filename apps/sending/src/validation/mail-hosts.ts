import { Injectable } from '@nestjs/common';
import { DomainError } from '@posthorn/contracts';
import { LimitedRuns } from '@posthorn/platform';
import { DnsLookup } from '../domains/checks/dns-lookup.js';

/** What takes the mail of a domain; `null_mx` says itself that it takes none (RFC 7505). */
export type MailHost = 'found' | 'none' | 'null_mx' | 'no_answer';

/** Names belong to strangers, whose servers may take their time. */
const limits = {
  what: 'checks of addresses',
  running: 64,
  perProject: 16,
  waitingPerProject: 1_000,
  waiting: 10_000,
};
const rememberMs = 5 * 60_000;
const maxRemembered = 20_000;

interface Remembered {
  host: MailHost;
  until: number;
}

/** One lookup of a domain at a time for a project, and none for some minutes after an answer. */
@Injectable()
export class MailHosts {
  private readonly runs = new LimitedRuns(limits);
  private readonly remembered = new Map<string, Remembered>();

  constructor(private readonly dns: DnsLookup) {}

  /** One that was not looked up in time counts as not answered. */
  async of(
    projectId: string,
    domains: Iterable<string>,
    limitMs: number,
  ): Promise<ReadonlyMap<string, MailHost>> {
    const signal = AbortSignal.timeout(limitMs);
    const distinct = [...new Set(domains)];
    const found = await Promise.all(distinct.map((domain) => this.one(projectId, domain, limitMs, signal)));
    return new Map(distinct.map((domain, index) => [domain, found[index]!]));
  }

  private async one(
    projectId: string,
    domain: string,
    limitMs: number,
    signal: AbortSignal,
  ): Promise<MailHost> {
    const known = this.remembered.get(domain);
    if (known && known.until > performance.now()) return known.host;
    try {
      const host = await this.runs.run(projectId, domain, limitMs, () => this.lookUp(domain, signal));
      if (host !== 'no_answer') this.remember(domain, host);
      return host;
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'rate_limited') return 'no_answer';
      throw error;
    }
  }

  /** RFC 5321 §5.1: without any MX the domain itself is the host. */
  private async lookUp(domain: string, signal: AbortSignal): Promise<MailHost> {
    const exchanges = await this.dns.mx(domain, signal);
    if (exchanges === null) return 'no_answer';
    if (exchanges.length > 0)
      return exchanges.every((exchange) => exchange === '' || exchange === '.') ? 'null_mx' : 'found';
    const addresses = await this.dns.addresses(domain, signal);
    if (addresses === null) return 'no_answer';
    return addresses.length > 0 ? 'found' : 'none';
  }

  private remember(domain: string, host: MailHost): void {
    this.remembered.delete(domain);
    this.remembered.set(domain, { host, until: performance.now() + rememberMs });
    if (this.remembered.size > maxRemembered) this.remembered.delete(this.remembered.keys().next().value!);
  }
}
