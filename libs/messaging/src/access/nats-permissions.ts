import { busAccess, busUsers, eventsOf, streamOf, type BusUser, type ServiceName } from '@posthorn/contracts';
import { subjectOf } from '../calls/frames.js';
import { inboxPrefixOf } from '../calls/inboxes.js';

export interface Permissions {
  publish: string[];
  subscribe: string[];
}

function permissionsOf(user: BusUser): Permissions {
  const calls = busAccess[user].calls.map(({ subject }) => subjectOf(subject));
  const inboxes = peersOf(user).map((peer) => `${inboxPrefixOf(peer)}.>`);
  const own = `${inboxPrefixOf(user)}.>`;
  if (user === 'operator') return { publish: sorted([...calls, ...inboxes]), subscribe: [own] };
  const owners = new Set(busAccess[user].receives.map(({ event }) => event.owner));
  const events = [ownEvents(user), ...[...owners].map((owner) => received(user, owner))];
  return {
    publish: sorted([
      ...calls,
      ...inboxes,
      `wake.${user}.*`,
      ...events.flat(),
      ...(busAccess[user].follows ?? []).flatMap(followed),
    ]),
    subscribe: [`call.${user}.>`, `wake.${user}.*`, own],
  };
}

/** Whoever calls it or is called by it: replies and the parts of large messages go to their inboxes. */
function peersOf(user: BusUser): BusUser[] {
  const called = new Set(busAccess[user].calls.map(({ owner }) => owner));
  const calls = (other: BusUser) => busAccess[other].calls.some(({ owner }) => owner === user);
  return busUsers.filter((other) => (called as ReadonlySet<BusUser>).has(other) || calls(other));
}

/** Its stream, with all consumers of it: an erasure reads it and overwrites in it. */
function ownEvents(service: ServiceName): string[] {
  const stream = streamOf(service);
  return [
    eventsOf(service),
    ...streamRequests(stream),
    `$JS.API.STREAM.UPDATE.${stream}`,
    `$JS.API.STREAM.MSG.DELETE.${stream}`,
    ...['CREATE', 'INFO', 'DELETE', 'MSG.NEXT'].map((verb) => `$JS.API.CONSUMER.${verb}.${stream}.>`),
    `$JS.API.CONSUMER.CREATE.${stream}`,
    `$JS.ACK.${stream}.>`,
  ];
}

/** Its consumer of a stream has the name of the service. */
function received(service: ServiceName, owner: ServiceName): string[] {
  const stream = streamOf(owner);
  return [
    ...streamRequests(stream),
    `$JS.API.CONSUMER.CREATE.${stream}.${service}.${eventsOf(owner)}`,
    ...['INFO', 'DELETE', 'MSG.NEXT'].map((verb) => `$JS.API.CONSUMER.${verb}.${stream}.${service}`),
    `$JS.ACK.${stream}.${service}.>`,
  ];
}

/** Ephemeral consumers, whose names are the server's: so nobody's durable one can be touched. */
const followed = (owner: ServiceName): string[] => [
  `$JS.API.CONSUMER.CREATE.${streamOf(owner)}`,
  `$JS.FC.${streamOf(owner)}.>`,
];

/** Whoever comes first creates the stream. */
const streamRequests = (stream: string): string[] => [
  `$JS.API.STREAM.INFO.${stream}`,
  `$JS.API.STREAM.CREATE.${stream}`,
  `$JS.API.CONSUMER.LIST.${stream}`,
];

const sorted = (subjects: readonly string[]): string[] => [...new Set(subjects)].sort();

/** Seconds that a client may take to send its credentials; nats-server allows two, in which a busy process may fail. */
const authenticationSeconds = 30;

/** `passwordOf` returns a quoted password, or an environment variable of nats-server after a dollar sign. */
export function natsConfiguration(passwordOf: (user: BusUser) => string): string {
  const users = busUsers.map((user) => {
    const { publish, subscribe } = permissionsOf(user);
    return [
      '    {',
      `      user: ${user}`,
      `      password: ${passwordOf(user)}`,
      '      permissions: {',
      list('publish', publish),
      list('subscribe', subscribe),
      '      }',
      '    }',
    ].join('\n');
  });
  return `authorization: {\n  timeout: ${authenticationSeconds}\n  users: [\n${users.join('\n')}\n  ]\n}\n`;
}

const list = (name: string, subjects: readonly string[]): string =>
  `        ${name}: [\n${subjects.map((subject) => `          "${subject}"`).join('\n')}\n        ]`;
