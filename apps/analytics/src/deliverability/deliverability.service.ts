import { Injectable } from '@nestjs/common';
import {
  deliverability,
  dmarc,
  domains,
  maxDomains,
  type AnalyticsWindow,
  type Caller,
  type Deliverability,
  type DeliverabilityRates,
  type DomainDeliverability,
  type GetDeliverability,
  type SendingDomain,
} from '@posthorn/contracts';
import { Bus, Handles, type Incoming } from '@posthorn/messaging';
import { MailCountsRepository, type CountsOfKey } from '../mail-counts/mail-counts.repository.js';
import { noCounts } from '../reports/numbers.js';
import { windowBefore } from '../reports/email-reports.service.js';
import { adviceFor, stateOf, type Known } from './advice.js';
import { Destinations } from './destinations.read-model.js';
import { ratesOf } from './rates.js';

const maxDestinations = 100;

/** From the counters, and what sending knows of domains: never from e-mails. */
@Injectable()
export class DeliverabilityService {
  constructor(
    private readonly counts: MailCountsRepository,
    private readonly destinations: Destinations,
    private readonly bus: Bus,
  ) {}

  @Handles(deliverability.overview)
  async overview({ caller, body: { from, to } }: Incoming<GetDeliverability>): Promise<Deliverability> {
    const window = { from, to };
    const [{ items }, reports, counts, before, destinations] = await Promise.all([
      this.bus.call(domains.list, caller, { limit: maxDomains }),
      this.bus.call(dmarc.overview, caller, window),
      this.byDomain(caller, window),
      this.byDomain(caller, windowBefore(window, false)),
      this.counts.byKey(caller.projectId, { ...window, hourly: false, kind: 'destination' }, maxDestinations),
    ]);
    const byDomain = await this.destinations.of(
      caller.projectId,
      items.map(({ domain }) => domain),
      window,
    );
    const destinationsOf = Map.groupBy(
      byDomain.map((each) => ({ ...ratesOf(each), ...each })),
      ({ domain }) => domain,
    );
    const reportOf = new Map(reports.data.map((each) => [each.domain, each]));
    return {
      domains: items.map((domain) =>
        shown(
          {
            domain,
            rates: ratesOf(counts.get(domain.domain) ?? noCounts),
            destinations: destinationsOf.get(domain.domain) ?? [],
            dmarc: reportOf.get(domain.domain),
          },
          ratesOf(before.get(domain.domain) ?? noCounts),
        ),
      ),
      destinations: destinations.map(destinationOf),
      window,
    };
  }

  private async byDomain({ projectId }: Caller, window: AnalyticsWindow): Promise<Map<string, CountsOfKey>> {
    const found = await this.counts.byKey(
      projectId,
      { ...window, hourly: false, kind: 'domain' },
      maxDomains,
    );
    return new Map(found.map((each) => [each.key, each]));
  }
}

function shown(known: Known, previous: DeliverabilityRates): DomainDeliverability {
  const advice = adviceFor(known);
  return {
    domain: known.domain.domain,
    ...known.rates,
    dns: dnsOf(known.domain),
    status: stateOf(advice),
    advice,
    previous,
  };
}

const dnsOf = ({ dkimStatus, spfStatus, dmarcStatus, mailFromStatus, lastCheckedAt }: SendingDomain) => ({
  dkim: dkimStatus,
  spf: spfStatus,
  dmarc: dmarcStatus,
  mailFrom: mailFromStatus,
  checkedAt: lastCheckedAt,
});

function destinationOf(counts: CountsOfKey) {
  const { sent, delivered, bounced, deliveryRate } = ratesOf(counts);
  return { destination: counts.key, sent, delivered, deferred: counts.deferred, bounced, deliveryRate };
}
