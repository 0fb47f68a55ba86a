import { counter, gauge } from '@posthorn/telemetry';

export const engagementsDropped = counter(
  'posthorn_engagements_dropped_total',
  'Opens and clicks that were dropped because too many were waiting, one message had more than 100 in ten seconds, or the process ended. Readers were not affected.',
);
export const engagementsWaiting = gauge(
  'posthorn_engagements_waiting',
  'Opens and clicks waiting in memory to be sent to the sending service.',
);
