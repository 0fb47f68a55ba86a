import { describe, expect, it } from '@jest/globals';
import { operationsOf, responseIn, type Operation } from './api-document.js';
import { document, refuseUndescribed, refuseUndescribedBytes } from './described.js';

const contact = {
  id: '019b0000-0000-7000-8000-000000000001',
  email: 'ada@example.com',
  subscribed: true,
  custom_fields: '{}',
  created_at: '2026-01-31T09:00:00.000Z',
  updated_at: '2026-01-31T09:00:00.000Z',
};
const json = { 'content-type': 'application/json; charset=utf-8' };
const problem = {
  type: 'http://localhost:3000/docs/errors#conflict',
  title: 'The request conflicts with the current state',
  status: 409,
  instance: '/api/v1/contacts',
  code: 'conflict',
  request_id: '019b0000-0000-7000-8000-000000000001',
};
const problemType = { 'content-type': 'application/problem+json' };
const failure = { success: false, error: { message: 'm', code: 'RESOURCE_NOT_FOUND' } };

const published = (status: number, body: unknown, headers: Record<string, string> = json) => ({
  status,
  headers: new Headers(headers),
  text: body === '' ? '' : JSON.stringify(body),
});
const requesting =
  (method: string, path: string, answer: ReturnType<typeof published>, body?: unknown) => () =>
    refuseUndescribed({ method, path, body }, answer);
const reveal = `/api/v1/projects/${contact.id}/api-keys/${contact.id}/reveal?token=x`;
const page = (text: string) => ({
  status: 200,
  headers: new Headers({ 'content-type': 'text/html; charset=utf-8' }),
  text,
});
const create = (answer: ReturnType<typeof published>, body: unknown = { email: 'ada@example.com' }) =>
  requesting('POST', '/api/v1/contacts', answer, body);

describe('a response that the document describes', () => {
  it.each([
    ['a resource', create(published(201, contact))],
    ['a failure', create(published(409, problem, problemType))],
    [
      'an unsupported method',
      requesting('PUT', '/api/contacts', published(405, failure, { ...json, allow: 'GET' })),
    ],
    ['an unknown route', requesting('GET', '/nowhere', published(404, failure))],
    ['a path that cannot be decoded', requesting('PUT', '/api/contacts/%zz', published(404, failure))],
    ['HEAD', requesting('HEAD', '/api/v1/contacts?limit=1', published(200, ''))],
    ['a preflight', requesting('OPTIONS', '/api/emails', published(204, '', {}))],
    ['a path outside both surfaces', requesting('GET', '/healthz', published(200, 'anything'))],
    ['a page', requesting('GET', '/sign-in?next=/account', published(200, 'anything'))],
    ['the sign-in', requesting('POST', '/api/auth/sign-in/email', published(200, { user: {} }))],
    [
      'an HTML page of a route that has one',
      requesting('GET', reveal, page('<!doctype html><p>Read it once</p>')),
    ],
  ])('passes: %s', (_, request) => {
    expect(request).not.toThrow();
  });
});

describe('a response that the document does not describe', () => {
  it.each([
    ['another status', create(published(200, contact)), 'contactsCreate describes only 201'],
    ['a member less', create(published(201, { ...contact, subscribed: undefined })), "must have required property 'subscribed'"],
    ['an additional member', create(published(201, { ...contact, secret: 1 })), 'must NOT have additional properties'],
    ['a name of the other surface', create(published(201, { ...contact, projectId: contact.id })), 'must NOT have additional properties'],
    ['another type of a member', create(published(201, { ...contact, custom_fields: {} })), 'it/custom_fields must be string'],
    ['an invalid id', create(published(201, { ...contact, id: '1' })), 'it/id must match format "uuid"'],
    ['an envelope of the other surface', create(published(201, { success: true, data: contact })), 'must have required property'],
    ['a failure in the shape of the other surface', create(published(409, failure, problemType)), 'must have required property'],
    ['a failure of another type', create(published(409, problem)), 'the type application/json is none of application/problem+json'],
    ['a code of another status', create(published(409, { ...problem, code: 'scope_missing' }, problemType)), 'it/code must be equal'],
    ['401 without its header', create(published(401, problem, problemType)), 'the header WWW-Authenticate is missing'],
    ['405 without the methods', requesting('PUT', '/api/contacts', published(405, failure)), 'the header Allow is missing'],
    ['404 where the path is known', requesting('PUT', '/api/contacts', published(404, failure)), 'without such an operation it has to be 405'],
    ['a success of an unknown route', requesting('GET', '/api/secrets', published(200, {})), 'without such an operation it has to be 404'],
    ['a page of a route without pages', requesting('GET', '/api/v1/contacts', page('<!doctype html>')), 'the type text/html is none of'],
    ['other content with the type of a page', requesting('GET', reveal, page('{}')), 'it is no page'],
    ['a path that only starts like a page', requesting('GET', '/sign-inside', published(200, {})), 'it has to be 404'],
    ['a body of HEAD', requesting('HEAD', '/api/v1/contacts', published(200, {})), 'it has a body'],
    ['an undocumented request', create(published(201, contact), { email: 'a@b.cc', admin: true }), 'describes another request'],
    ['an undocumented parameter', requesting('GET', '/api/v1/contacts?all=1', published(200, { data: [], has_more: false, next_cursor: null })), 'all'],
  ])('fails: %s', (_, request, complaint) => {
    expect(request).toThrow(complaint);
  }); // prettier-ignore

  it('is found for refusals of Node itself', () => {
    const refusal = { success: false, error: { message: 'm', code: 'VALIDATION_ERROR' } };
    expect(() =>
      refuseUndescribedBytes('GET /api/v1/emails HTTP/1.1', published(431, refusal)),
    ).not.toThrow();
    expect(() => refuseUndescribedBytes('GET /api/v1/emails HTTP/1.1', published(431, problem))).toThrow(
      'must have required property',
    );
    expect(() => refuseUndescribedBytes('GET /api/v1/emails HTTP/1.1', published(418, refusal))).toThrow(
      'LegacyValidationError418',
    );
  });
});

describe('every example of the document', () => {
  const promised = {
    allow: 'GET',
    'retry-after': '1',
    'www-authenticate':
      'Bearer resource_metadata="https://mail.example.test/.well-known/oauth-protected-resource/api"',
  };
  const contentOf = (operation: Operation, status: string) =>
    Object.entries(responseIn(document, operation, Number(status))!.content)[0]!;

  it.each(operationsOf(document).map((operation) => [operation.operationId, operation] as const))(
    'is described: %s',
    (_, operation) => {
      const { method, path, requestBody, responses } = operation;
      const request = requestBody?.content['application/json'].example;
      const [success] = Object.keys(responses);
      const [answered, { example: shown }] = contentOf(operation, success!);
      if (answered === 'application/json') expect(shown).toBeDefined();
      expect(request === undefined).toBe(requestBody === undefined);
      for (const status of Object.keys(responses)) {
        const [type, { example }] = contentOf(operation, status);
        if (example)
          expect(
            requesting(
              method,
              path,
              published(Number(status), example, { ...promised, 'content-type': type }),
              request,
            ),
          ).not.toThrow();
      }
    },
  );
});
