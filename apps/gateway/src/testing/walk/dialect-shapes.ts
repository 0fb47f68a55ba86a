import { expect } from '@jest/globals';
import type { Route } from '../../routes/route-table.js';
import type { Published } from '../gateway-suite.js';

/** A refusal: the status, and the error code in lower case. */
export interface Refusal {
  status: number;
  code: string;
}

/** An unknown name in every request of the walk: a response that mentions it has passed the guard, and nothing was changed. */
export const strangeName = 'no_such_name';

/** Names the authorization server (RFC 9728 §5.1). */
export const challenge = /^Bearer resource_metadata="http.+\/\.well-known\/oauth-protected-resource\/api"$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Checks the whole response in the dialect of its surface. */
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

/** Passed the guard and the limiter, and was refused only for the unknown name or a missing parameter. */
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

/** Removes the parts of a response that always differ. */
export function statedBy({ status, headers, text }: Published, ...named: string[]): unknown {
  const stored = [...headers].filter(([name]) => !['date', 'content-length'].includes(name));
  const plain = named.reduce((rest, name) => rest.replaceAll(name, '…'), text);
  return [status, stored, plain.replace(/"request_id":"[^"]*"/, '')];
}

function refuseOthers(object: object, known: readonly string[]): void {
  expect(Object.keys(object).filter((name) => !known.includes(name))).toEqual([]);
}
