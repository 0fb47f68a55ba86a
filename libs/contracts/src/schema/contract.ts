import type { Shape } from './field.js';

export const serviceNames = [
  'gateway',
  'contacts',
  'sending',
  'campaigns',
  'workflows',
  'analytics',
] as const;
export type ServiceName = (typeof serviceNames)[number];

/** A request from one service to another. The first word of the subject names the owner. */
export interface RequestContract<In extends object = object, Out extends object = object> {
  readonly subject: string;
  readonly owner: ServiceName;
  readonly body: Shape<In>;
  readonly reply: Shape<Out>;
  /** Concurrent calls may be sent in one message; the handler receives them together. */
  readonly gathered: boolean;
  /** It changes nothing, so that a lost answer leaves no unknown outcome. */
  readonly onlyReads: boolean;
}

interface RequestOptions {
  gathered?: boolean;
}

export function request<In extends object, Out extends object>(
  subject: string,
  body: Shape<In>,
  reply: Shape<Out>,
  { gathered = false }: RequestOptions = {},
): RequestContract<In, Out> {
  const owner = subject.split('.')[0] as ServiceName;
  return { subject, owner, body, reply, gathered, onlyReads: false };
}

/** A request that changes nothing. A route that also writes makes its queries first. */
export function query<In extends object, Out extends object>(
  ...declared: Parameters<typeof request<In, Out>>
): RequestContract<In, Out> {
  return { ...request(...declared), onlyReads: true };
}

/** An event has 1 to 256 items of one project. It is sent to JetStream after the commit of its change, at least once
 * and in any order (docs/guarantees.md §4). Where an item has a `seq`, it rises with every change of its subject. */
export interface EventContract<Item extends object = object> {
  readonly name: string;
  readonly owner: ServiceName;
  readonly item: Shape<Item>;
  readonly version: number;
  readonly describe: string;
}

export const maxEventItems = 256;
/** Limit of the items of one event: the least that a NATS server may be set to is 256 KiB (docs/deploying.md), with the envelope and headers. */
export const maxEventBytes = 224 * 1024;

export const eventSubject = (name: string): string => `events.${name}`;
/** Of all events of a service. */
export const eventsOf = (owner: ServiceName): string => `events.${owner}.>`;
export const streamOf = (owner: ServiceName): string => `EVENTS_${owner.toUpperCase()}`;

export function event<Item extends object>(
  name: string,
  item: Shape<Item>,
  describe: string,
  version = 1,
): EventContract<Item> {
  return { name, owner: name.split('.')[0] as ServiceName, item, version, describe };
}
