import { Injectable } from '@nestjs/common';
import { gauge, Metrics } from '@posthorn/telemetry';
import { DeliveryCounts } from './delivery-counts.read-model.js';
import { Provider } from './hand-off/provider.js';

const oldestDue = gauge(
  'posthorn_oldest_due_delivery_seconds',
  'How long the oldest message that is due has waited.',
);
const deliveries = gauge(
  'posthorn_deliveries',
  'Messages that are not at their end, by state; QUEUED, HELD and AMBIGUOUS are counted up to 10 000.',
  ['state'],
);
const oldestAmbiguous = gauge(
  'posthorn_oldest_ambiguous_seconds',
  'Age of the oldest message whose outcome is unknown.',
);
const connections = gauge('posthorn_smtp_connections', 'Connections to the mail server, by what they do.', [
  'state',
]);
const waiting = gauge('posthorn_smtp_waiting', 'Messages that wait for a connection to the mail server.');
const paused = gauge(
  'posthorn_smtp_paused',
  '1 while the mail server is given a rest because no connection could be opened.',
);

@Injectable()
export class DeliveryMetrics {
  constructor(counts: DeliveryCounts, provider: Provider, metrics: Metrics) {
    metrics.gauge(oldestDue, () => counts.oldestDueSeconds());
    metrics.gauge(deliveries, async () =>
      (await counts.byState()).map(({ state, count }) => [{ state }, count] as const),
    );
    metrics.gauge(oldestAmbiguous, () => counts.oldestAmbiguousSeconds());
    metrics.gauge(connections, () => {
      const { open, idle } = provider.state;
      return [[{ state: 'busy' }, open - idle] as const, [{ state: 'idle' }, idle] as const];
    });
    metrics.gauge(waiting, () => provider.state.waiting);
    metrics.gauge(paused, () => Number(provider.state.paused));
  }
}
