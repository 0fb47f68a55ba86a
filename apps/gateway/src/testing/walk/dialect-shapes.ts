import { expect } from '@jest/globals';
import type { Route } from '../../edge/routes/route-table.js';
import type { Published } from '../gateway-suite.js';

/** How a refused request is answered: the status, and the code of the API specification in lower case. */
export interface Refusal {
  status: number;
  code: string;
}

/** What every request of the walk names that no route knows: whoever hears of it has come past the guard, and nothing happened. */
export const strangeName = 'no_such_name';

/** Says whom to ask for a token (RFC 9728 §5.1). */
export const challenge = /^Bearer resource_metadata="http.+\/\.well-known\/oauth-protected-resource\/api"$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The whole answer, member by member, in the dialect of its surface. */
export function expectRefused(
  published: Published,
  { surface }: Route,
  path: string,
  { status, code }: Refusal,
): void {
  expect([published.status, codeOf(published)]).toEqual([status, code]);
  expect(published.headers.get('x-request-id')).toBeNull();
  expect(published.headers.get('www-authenticate')).toEqual(
    status === 401 ? expect.stringMatching(challenge) : null,
  );
  expect(published.text).not.toMatch(/node_modules|at \w+ \(|SELECT|INSERT/);
  const { json, headers } = published;
  if (surface === 'v1') {
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(json).toMatchObject({
      title: expect.any(String),
      status,
      code,
      instance: path,
      request_id: expect.stringMatching(uuid),
    });
    expect(json['type']).toMatch(new RegExp(`^https?://.+/errors#${code}$`));
    refuseOthers(json, ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id', 'errors']);
  } else {
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(json).toMatchObject({
      success: false,
      error: { message: expect.any(String), code: code.toUpperCase() },
    });
    refuseOthers(json, ['success', 'error']);
    refuseOthers(json['error'] as object, ['message', 'code', 'details']);
  }
}

/** Past the guard and the limiter, and refused for the strange name only, or for a member of the query that the walk leaves out. */
export function expectAdmitted(published: Published, route: Route, path: string): void {
  expectRefused(published, route, path, { status: 422, code: 'validation_error' });
  const { json } = published;
  const legacy = (json['error'] as { details?: { errors?: object[] } } | undefined)?.details?.errors;
  const failures = (json['errors'] as object[] | undefined) ?? legacy;
  expect(
    failures?.every((failure) => leftOut(failure) || JSON.stringify(failure).includes(strangeName)),
  ).toBe(true);
  expect(failures).not.toEqual([]);
}

const leftOut = (failure: object): boolean => (failure as { code?: string }).code === 'required';

export const codeOf = ({ json }: Published): string =>
  String(json['code'] ?? (json['error'] as { code?: string } | undefined)?.code ?? '').toLowerCase();

/** What two answers say apart from what every answer says anew. */
export function statedBy({ status, headers, text }: Published, ...named: string[]): unknown {
  const stored = [...headers].filter(([name]) => !['date', 'content-length'].includes(name));
  const plain = named.reduce((rest, name) => rest.replaceAll(name, '…'), text);
  return [status, stored, plain.replace(/"request_id":"[^"]*"/, '')];
}

function refuseOthers(object: object, known: readonly string[]): void {
  expect(Object.keys(object).filter((name) => !known.includes(name))).toEqual([]);
}
