import { counter, gauge } from '@posthorn/telemetry';

export const engagementsDropped = counter(
  'posthorn_engagements_dropped_total',
  'Opens and clicks that were not kept: too many waited for sending, or the process ended. Their readers were answered.',
);
export const engagementsWaiting = gauge(
  'posthorn_engagements_waiting',
  'Opens and clicks that wait in memory for sending to take them.',
);
