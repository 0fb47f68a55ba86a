import type { Surface } from '../edge/routes/call.js';

const text = { type: 'string' };
const whole = { type: 'string', pattern: '^[0-9]+$' };
const limited = 'Not where the limit is off';

/** Each header of an answer, once; the names are those of `components.headers`. */
export const headers: Readonly<Record<string, object>> = {
  'RateLimit-Policy': { description: `The limit of this key in requests a second. ${limited}`, schema: text },
  RateLimit: { description: `What is left of it, and for how many seconds. ${limited}`, schema: text },
  'X-RateLimit-Limit': { description: `Requests a second. ${limited}`, schema: whole },
  'X-RateLimit-Remaining': { description: `What is left in this second. ${limited}`, schema: whole },
  'X-RateLimit-Reset': {
    description: `Seconds since 1970 at which the window ends. ${limited}`,
    schema: whole,
  },
  'Retry-After': {
    description: 'Whole seconds to wait, at least 1',
    required: true,
    schema: { type: 'string', pattern: '^[1-9][0-9]*$' },
  },
  'Retry-After-If-Known': { description: 'Whole seconds to wait, where a repeat may succeed', schema: whole },
  Allow: { description: 'The methods that the path knows', required: true, schema: text },
  'WWW-Authenticate': {
    description:
      'The scheme that is asked for, and where an application learns whom to ask for a token (RFC 9728)',
    required: true,
    schema: { type: 'string', pattern: '^Bearer resource_metadata="[^"]+"$' },
  },
};

const older = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
const limits: Readonly<Record<Surface, readonly string[]>> = {
  v1: ['RateLimit-Policy', 'RateLimit', ...older],
  legacy: older,
};

/** Before the limiter nothing is known of a key, so 401 and 403 say nothing of its limit. */
const unlimited = [401, 403, 405, 408, 431];

export function headersOf(surface: Surface, status: number): Record<string, object> {
  const named: Record<string, string> = Object.fromEntries(
    (unlimited.includes(status) ? [] : limits[surface]).map((name) => [name, name]),
  );
  if (status === 429 || status === 503) named['Retry-After'] = 'Retry-After';
  if (status === 409) named['Retry-After'] = 'Retry-After-If-Known';
  if (status === 405) named['Allow'] = 'Allow';
  if (status === 401) named['WWW-Authenticate'] = 'WWW-Authenticate';
  return Object.fromEntries(
    Object.entries(named).map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }]),
  );
}
