import { counter, histogram } from '@posthorn/telemetry';

export const requestDuration = histogram(
  'http_server_request_duration_seconds',
  'Time from a request to its answer.',
  ['method', 'route', 'status', 'surface'],
);

export const rateLimited = counter(
  'posthorn_rate_limited_requests_total',
  'Requests that came faster than their key or user may make them.',
  ['key'],
);
