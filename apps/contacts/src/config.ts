import { Env, ServiceConfig } from '@posthorn/platform';

export class ContactsConfig extends ServiceConfig {
  @Env('RETENTION_EVENTS_DAYS', {
    kind: 'number',
    default: '400',
    min: 1,
    max: 3650,
    describe: 'days that the events of contacts, and what happened to them in lists and segments, are kept',
  })
  eventsDays: number;
  @Env('SEGMENT_LIVE_MS', {
    kind: 'number',
    default: '5000',
    min: 0,
    max: 60_000,
    describe:
      'milliseconds that a condition may take for all contacts and still be kept live; beyond, its segment is kept by schedule',
  })
  segmentLiveMs: number;

  @Env('SEGMENT_REFRESH_SECONDS', {
    kind: 'number',
    default: '900',
    min: 1,
    max: 86_400,
    describe: 'seconds between two looks at a segment that is kept by schedule',
  })
  segmentRefreshSeconds: number;
}
