import { eventContactUnknown, eventNameReserved, events, keyInFlight, keyReused } from '@posthorn/contracts';
import { create, get, list, post, routes } from '../routes/calls.js';

export const eventRoutes = routes(
  'events',
  { read: 'events:read', write: 'events:write' },
  {
    record: create('events', events.record, 'Record an event for a contact', {
      idempotent: true,
      errors: [() => eventNameReserved('name'), eventContactUnknown, keyInFlight, keyReused],
    }),
    track: post('track', events.track, 'Record an event, and create or update its contact', {
      surfaces: ['legacy'],
      idempotent: true,
      errors: [() => eventNameReserved('event'), keyInFlight, keyReused],
    }),
    list: list('events', events.list, 'List events, newest first'),
    names: get('events/names', events.names, 'List event names, most frequent first'),
  },
);
