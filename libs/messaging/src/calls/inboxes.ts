import { createInbox, type NatsConnection } from '@nats-io/transport-node';

/** Each user has inboxes of its own, so that nobody else can read replies to it. */
export const inboxPrefixOf = (user: string): string => `_INBOX.${user}`;

const prefixes = new WeakMap<NatsConnection, string>();

export const rememberInboxPrefix = (nats: NatsConnection, prefix: string): void => {
  prefixes.set(nats, prefix);
};

export const newInbox = (nats: NatsConnection): string => createInbox(prefixes.get(nats) ?? '');
