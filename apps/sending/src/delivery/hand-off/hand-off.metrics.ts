import { counter, histogram } from '@posthorn/telemetry';

export const handOffs = counter(
  'posthorn_hand_offs_total',
  'Messages that were handed over, by verdict and where the talk ended.',
  ['verdict', 'stage'],
);
export const handOffDuration = histogram(
  'posthorn_hand_off_duration_seconds',
  'Time of one hand-over, the wait for a connection included.',
  ['verdict'],
);
