import { Env, ServiceConfig } from '@posthorn/platform';

export class ContactsConfig extends ServiceConfig {
  @Env('RETENTION_EVENTS_DAYS', {
    kind: 'number',
    default: '400',
    min: 1,
    max: 3650,
    describe: 'days that the events of contacts are kept',
  })
  eventsDays: number;
}
