import { counter } from '@posthorn/telemetry';

export const providerEventsRecorded = counter(
  'posthorn_provider_events_total',
  'Events that providers reported, by source and kind; repeated ones and those of unknown e-mails do not count.',
  ['source', 'kind'],
);
export const ambiguousSettled = counter(
  'posthorn_ambiguous_settled_by_event_total',
  'Messages with an unknown outcome that an event of the provider settled.',
);
