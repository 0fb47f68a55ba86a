import { Injectable, Logger } from '@nestjs/common';
import { slowDownOf, type Attempt } from '@posthorn/mail';
import { Metrics } from '@posthorn/telemetry';
import { SendingConfig } from '../config.js';
import { DnsLookup } from '../domains/checks/dns-lookup.js';
import { anyDestination, destinationOf, destinationOfMailServers, domainOf } from './destination.js';
import { slowDowns } from './pacing.metrics.js';
import { SlowDownsRepository } from './slow-downs.repository.js';

/** Where the provider has no limit of its own. */
const unlimitedRate = 20;
const lookupMs = 3_000;
const onceInMs = 1_000;

/** Learns from replies that ask to send less (docs/decisions/0027-adaptive-pace.md). */
@Injectable()
export class SlowDowns {
  private readonly log = new Logger('SlowDowns');
  private readonly counted;
  /** Domains that are being written, so that one reply of many is enough. */
  private readonly busy = new Set<string>();

  constructor(
    private readonly slowed: SlowDownsRepository,
    private readonly dns: DnsLookup,
    private readonly config: SendingConfig,
    metrics: Metrics,
  ) {
    this.counted = metrics.counter(slowDowns);
  }

  /** Never rejects: the next such reply asks again. */
  async observe(recipient: string, attempt: Attempt): Promise<void> {
    const slowDown = slowDownOf(attempt);
    if (!slowDown) return;
    const domain = slowDown === 'all' ? anyDestination : domainOf(recipient);
    if (this.busy.has(domain)) return;
    this.busy.add(domain);
    setTimeout(() => this.busy.delete(domain), onceInMs).unref();
    try {
      await this.slow(slowDown === 'all' ? anyDestination : await this.destinationOf(domain), attempt);
    } catch (error) {
      this.log.warn(`the pace of ${domain} stays as it is: ${(error as Error).message}`);
    }
  }

  private async slow(destination: string, { reply }: Attempt): Promise<void> {
    const { provider, ratePerSecond } = this.config;
    const fullRate = ratePerSecond > 0 ? ratePerSecond : unlimitedRate;
    if (!(await this.slowed.slow({ provider, destination, fullRate }))) return;
    this.counted.inc({ destination: destination.includes('.') ? 'other' : destination });
    const name = destination === anyDestination ? 'the mail server' : destination;
    this.log.log(`${name} asked to slow down, and gets half as much mail: ${reply?.code} ${reply?.text}`);
  }

  private async destinationOf(domain: string): Promise<string> {
    const named = destinationOf(domain);
    if (named !== domain) return named;
    const known = await this.slowed.destinationOf(domain);
    if (known) return known;
    const hosts = await this.dns.mx(domain, AbortSignal.timeout(lookupMs));
    const found = destinationOfMailServers(hosts ?? []) ?? domain;
    if (found !== domain) await this.slowed.setDestination(domain, found);
    return found;
  }
}
