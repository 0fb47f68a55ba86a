import { counter } from '@posthorn/telemetry';

export const systemMailsDropped = counter(
  'posthorn_system_mails_dropped_total',
  'Confirmations, password resets and invitations that were not sent because their address had got as many as one may get.',
  ['kind'],
);
