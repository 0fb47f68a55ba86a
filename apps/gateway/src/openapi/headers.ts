import type { Surface } from '../routes/route-request.js';

const text = { type: 'string' };
const whole = { type: 'string', pattern: '^[0-9]+$' };
const limited = 'Absent for signed-in users, and if rate limiting is off';

export const headers: Readonly<Record<string, object>> = {
  'RateLimit-Policy': {
    description: `Limit of this key in requests per second. ${limited}`,
    schema: text,
  },
  RateLimit: {
    description: `Remaining requests and seconds until the window ends. ${limited}`,
    schema: text,
  },
  'X-RateLimit-Limit': { description: `Requests per second. ${limited}`, schema: whole },
  'X-RateLimit-Remaining': { description: `Remaining requests in this second. ${limited}`, schema: whole },
  'X-RateLimit-Reset': {
    description: `Unix time in seconds at which the window ends. ${limited}`,
    schema: whole,
  },
  'Retry-After': {
    description: 'Whole seconds to wait, at least 1',
    required: true,
    schema: { type: 'string', pattern: '^[1-9][0-9]*$' },
  },
  'Retry-After-If-Known': { description: 'Whole seconds to wait, if a repeat may succeed', schema: whole },
  Allow: { description: 'The methods that the path supports', required: true, schema: text },
  'WWW-Authenticate': {
    description:
      'The authentication scheme, and where an application finds the authorization server (RFC 9728)',
    required: true,
    schema: { type: 'string', pattern: '^Bearer resource_metadata="[^"]+"$' },
  },
};

const older = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
const limits: Readonly<Record<Surface, readonly string[]>> = {
  v1: ['RateLimit-Policy', 'RateLimit', ...older],
  legacy: older,
};

/** These responses come before the rate limiter, so they carry no limits. */
const unlimited = [401, 403, 405, 408, 431];

export function headersOf(surface: Surface, status: number): Record<string, object> {
  const named: Record<string, string> = Object.fromEntries(
    (unlimited.includes(status) ? [] : limits[surface]).map((name) => [name, name]),
  );
  if ([429, 503, 504].includes(status)) named['Retry-After'] = 'Retry-After';
  if (status === 409) named['Retry-After'] = 'Retry-After-If-Known';
  if (status === 405) named['Allow'] = 'Allow';
  if (status === 401) named['WWW-Authenticate'] = 'WWW-Authenticate';
  return Object.fromEntries(
    Object.entries(named).map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }]),
  );
}
