import type { BusConnection } from '../calls/connection.js';
import { EventSubscription } from '../events/event-subscription.js';
import { Subscriber, type SubscriberOptions } from '../events/subscriber.js';

/** A subscription of one subscriber, whose consumer has its name. */
export function subscriptionOf(
  options: SubscriberOptions & { connection: BusConnection },
): EventSubscription {
  const { owner } = options.contract;
  return new EventSubscription({
    ...options,
    owner,
    durable: options.name,
    subscribers: [new Subscriber(options)],
  });
}
