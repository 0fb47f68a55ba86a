import { Injectable } from '@nestjs/common';
import { gauge, Metrics } from '@posthorn/telemetry';
import { DeliveryCounts } from './delivery-counts.read-model.js';
import { HandOffSignals, type SendingLimit } from './hand-off/hand-off-signals.js';
import { Provider } from './hand-off/provider.js';

const oldestDue = gauge(
  'posthorn_oldest_due_delivery_seconds',
  'How long the oldest message that is due has waited.',
);
const due = gauge(
  'posthorn_due_deliveries',
  'Messages that are due, of all projects and replicas; counted once for all of them, every ten seconds, up to 250 000.',
);
const limited = gauge(
  'posthorn_sending_limited',
  '1 while more processes would send no more, by what holds mail back: the pace, a pause of the mail server, an allowance, a destination that takes less.',
  ['by'],
);
const capacity = gauge(
  'posthorn_hand_off_capacity',
  'Messages a second that this process can hand over: the most of the last ten minutes, or one for each connection.',
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

const limits: readonly SendingLimit[] = ['pace', 'provider_paused', 'allowance', 'destination'];

@Injectable()
export class DeliveryMetrics {
  constructor(counts: DeliveryCounts, provider: Provider, signals: HandOffSignals, metrics: Metrics) {
    metrics.gauge(due, () => counts.due());
    metrics.gauge(capacity, () => signals.capacity);
    metrics.gauge(limited, () =>
      limits.map((by) => {
        const paused = by === 'provider_paused' && provider.state.paused;
        return [{ by }, Number(paused || signals.isLimitedBy(by))] as const;
      }),
    );
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
