import { counter, histogram } from '@posthorn/telemetry';

export const handOffs = counter(
  'posthorn_hand_offs_total',
  'Attempts to hand a message to the SMTP server, by verdict and the stage of the session at its end.',
  ['verdict', 'stage'],
);
export const handOffDuration = histogram(
  'posthorn_hand_off_duration_seconds',
  'Duration of one hand-off, including the wait for a connection.',
  ['verdict'],
);
