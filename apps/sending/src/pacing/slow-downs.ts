import { Injectable, Logger } from '@nestjs/common';
import { slowDownOf, type Attempt } from '@posthorn/mail';
import { Metrics } from '@posthorn/telemetry';
import { SendingConfig } from '../config.js';
import { DnsLookup } from '../domains/checks/dns-lookup.js';
import { anyDestination, destinationOf, domainOf, labelOf, mailboxProviderOf } from './destination.js';
import { slowDowns } from './pacing.metrics.js';
import { SlowDownsRepository } from './slow-downs.repository.js';

/** Where SENDING_RATE_PER_SECOND is 0. */
const unlimitedRate = 100;
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
      await this.slow(destinationOf(domain), attempt);
      if (domain !== anyDestination && destinationOf(domain) === domain) await this.learn(domain);
    } catch (error) {
      this.log.warn(`the pace of ${domain} stays as it is: ${(error as Error).message}`);
    }
  }

  private async slow(destination: string, { reply }: Attempt): Promise<void> {
    const { providerKind, ratePerSecond } = this.config;
    const fullRate = ratePerSecond > 0 ? ratePerSecond : unlimitedRate;
    if (!(await this.slowed.slow({ providerKind, destination, fullRate }))) return;
    this.counted.inc({ destination: labelOf(destination) });
    const name = destination === anyDestination ? 'the mail server' : destination;
    // The text of the reply may hold addresses.
    this.log.log(
      `${name} asked to slow down (${reply?.code} ${reply?.enhanced ?? ''}), and gets half as much mail`,
    );
  }

  /** The mailbox provider of its hosts is not slowed down with the domain, because anybody can name such hosts. */
  private async learn(domain: string): Promise<void> {
    if (await this.slowed.isKnown(domain)) return;
    const hosts = await this.dns.mx(domain, AbortSignal.timeout(lookupMs));
    const found = mailboxProviderOf(hosts ?? []);
    if (found) await this.slowed.setDestination(domain, found);
  }
}
