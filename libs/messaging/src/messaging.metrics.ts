import { counter, gauge, histogram, type Metrics } from '@posthorn/telemetry';
import type { DeadLetters } from './events/dead-letters.repository.js';
import type { Outbox } from './outbox/outbox.repository.js';

const busCallDuration = histogram(
  'posthorn_bus_call_duration_seconds',
  'Time until another service answered a call, also with an error.',
  ['subject'],
);
const busCallFailures = counter('posthorn_bus_call_failures_total', 'Calls without an answer, by reason.', [
  'subject',
  'reason',
]);
const eventsPublished = counter(
  'posthorn_events_published_total',
  'Events that the stream accepted, repeats included.',
  ['event'],
);
const eventsReceived = counter(
  'posthorn_events_heard_total',
  'Events delivered to a subscriber, by outcome.',
  ['subscriber', 'outcome'],
);
const subscriberPending = gauge(
  'posthorn_subscriber_pending',
  'Events of a stream not yet delivered to a service, as in "contacts of sending".',
  ['subscriber'],
);
const outboxAge = gauge('posthorn_outbox_age_seconds', 'Age of the oldest unpublished event.');
const outboxUnpublished = gauge('posthorn_outbox_unpublished', 'Unpublished events; counted up to 10 000.');
const outboxQuarantined = gauge(
  'posthorn_outbox_quarantined',
  'Events that NATS can never accept; counted up to 10 000.',
);
const deadLetters = gauge(
  'posthorn_dead_letters',
  'Events that no attempt could handle; counted up to 10 000.',
  ['subscriber'],
);

export class MessagingMetrics {
  readonly callDuration;
  readonly callFailures;
  readonly published;
  readonly received;
  readonly pending = new Map<string, number>();

  constructor(metrics: Metrics) {
    this.callDuration = metrics.histogram(busCallDuration);
    this.callFailures = metrics.counter(busCallFailures);
    this.published = metrics.counter(eventsPublished);
    this.received = metrics.counter(eventsReceived);
    metrics.gauge(subscriberPending, () =>
      [...this.pending].map(([subscriber, count]) => [{ subscriber }, count] as const),
    );
  }
}

export function measureWaiting(metrics: Metrics, outbox: Outbox, letters: DeadLetters): void {
  metrics.gauge(outboxAge, () => outbox.age());
  metrics.gauge(outboxUnpublished, () => outbox.unpublished());
  metrics.gauge(outboxQuarantined, () => outbox.quarantined());
  metrics.gauge(deadLetters, async () =>
    (await letters.count()).map(({ subscriber, count }) => [{ subscriber }, count] as const),
  );
}
