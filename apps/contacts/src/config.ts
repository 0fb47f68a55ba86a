import { Env, ServiceConfig } from '@posthorn/platform';

export class ContactsConfig extends ServiceConfig {
  @Env('RETENTION_EVENTS_DAYS', {
    kind: 'number',
    default: '400',
    min: 1,
    max: 3650,
    describe: 'days for which events of contacts and their history in lists and segments are retained',
  })
  eventsDays: number;
  @Env('PUBLIC_URL', {
    kind: 'url',
    default: 'http://localhost:3000',
    describe: 'how readers reach the gateway: the links that confirm a subscription begin with it',
  })
  publicUrl: string;

  @Env('SEGMENT_LIVE_MS', {
    kind: 'number',
    default: '5000',
    min: 0,
    max: 60_000,
    describe:
      'milliseconds that a condition may take for all contacts; segments with slower conditions are refreshed at intervals instead of live',
  })
  segmentLiveMs: number;

  @Env('SEGMENT_REFRESH_SECONDS', {
    kind: 'number',
    default: '900',
    min: 1,
    max: 86_400,
    describe: 'seconds between refreshes of segments that are not live',
  })
  segmentRefreshSeconds: number;
}
