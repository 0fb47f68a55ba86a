import { counter } from '@posthorn/telemetry';

export const slowDowns = counter(
  'posthorn_slow_downs_total',
  'Times that a destination (gmail, outlook, …, * for all mail, other) asked to send less and its rate was halved.',
  ['destination'],
);
