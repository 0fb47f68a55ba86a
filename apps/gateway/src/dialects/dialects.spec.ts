import { describe, expect, it } from '@jest/globals';
import {
  Contact,
  DomainError,
  Email,
  errorCodes,
  invalidMember,
  legacyOnlyCodes,
  SendEmail,
  type ErrorKind,
} from '@posthorn/contracts';
import { noCredential, RefusedMembers, wrongMethod } from '../wire/errors.js';
import type { ErrorContext } from './dialect.js';
import { statusOfKind } from './dialect.js';
import { dialectOfPath } from './dialects.js';
import { legacy } from './legacy.js';
import { titles, v1, v1Codes } from './v1.js';

const context: ErrorContext = {
  instance: '/api/v1/emails',
  requestId: 'r',
  docsUrl: 'https://mail.example/docs',
};
const contact: Contact = {
  id: '019b0000-0000-7000-8000-000000000001',
  projectId: '019b0000-0000-7000-8000-000000000002',
  email: 'a@example.test',
  subscribed: true,
  customFields: { firstName: 'Ann', nested: { camelCase: [1] } },
  createdAt: new Date('2026-01-31T09:00:00.000Z'),
  updatedAt: new Date('2026-01-31T09:00:00.000Z'),
};
const json = (value: object) => JSON.parse(JSON.stringify(value)) as unknown;

describe('the path', () => {
  it.each([
    ['/api/v1/emails', v1],
    ['/api/v1', v1],
    ['/api/v1/', v1],
    ['/api/v10/emails', legacy],
    ['/api/emails', legacy],
    ['/', legacy],
  ])('%s selects the dialect', (path, dialect) => expect(dialectOfPath(path)).toBe(dialect));
});

describe('a resource', () => {
  it('is bare, snake_case, and has custom fields as text on v1', () => {
    expect(json(v1.resource(Contact, { ...contact, secret: 'x' }))).toEqual({
      id: contact.id,
      email: 'a@example.test',
      subscribed: true,
      custom_fields: '{"firstName":"Ann","nested":{"camelCase":[1]}}',
      created_at: '2026-01-31T09:00:00.000Z',
      updated_at: '2026-01-31T09:00:00.000Z',
    });
  });

  it('has an envelope, camelCase and its project on the legacy surface', () => {
    expect(json(legacy.resource(Contact, { ...contact, secret: 'x' }))).toEqual({
      success: true,
      data: json(contact),
    });
  });

  it('keeps null and omits absent members', () => {
    expect(v1.resource(Email, { sentAt: null, opens: 0 })).toEqual({ sent_at: null, opens: 0 });
  });

  it('reports a deletion in the way of its dialect', () => {
    expect([v1.deleted(contact), legacy.deleted(contact)]).toEqual([
      { id: contact.id, deleted: true },
      { success: true },
    ]);
  });
});

describe('a page', () => {
  const page = { items: [{ id: contact.id }], hasMore: true, next: null, total: 3 };

  it('has the envelope of its dialect and route', () => {
    expect(v1.page(Contact, page, 'c', 'items')).toEqual({
      data: [{ id: contact.id }],
      has_more: true,
      next_cursor: 'c',
    });
    expect(legacy.page(Contact, page, 'c', 'items')).toEqual({
      success: true,
      data: { items: [{ id: contact.id }], nextCursor: 'c', hasMore: true, total: 3 },
    });
    expect(
      legacy.page(Contact, { ...page, total: 10_000, totalIsCapped: true }, null, 'items'),
    ).toMatchObject({
      data: { nextCursor: null, total: 10_000, totalIsCapped: true },
    });
    expect(legacy.page(Contact, page, 'c', 'nested')).toEqual({
      success: true,
      data: { data: [{ id: contact.id }], cursor: 'c', hasMore: true, total: 3 },
    });
    expect(legacy.page(Contact, page, 'c', 'flat')).toEqual({
      success: true,
      data: [{ id: contact.id }],
      nextCursor: 'c',
    });
  });

  it('is counted only if the total is shown', () => {
    expect([v1.showsTotal('items'), legacy.showsTotal('items'), legacy.showsTotal('flat')]).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe('an error', () => {
  it('is a problem document on v1', () => {
    expect(
      v1.error(invalidMember(['replyTo'], 'required', 'is required'), { ...context, shape: SendEmail }),
    ).toEqual({
      type: 'https://mail.example/docs/errors#validation_error',
      title: 'The request is not valid',
      status: 422,
      detail: 'One or more fields are invalid',
      instance: '/api/v1/emails',
      code: 'validation_error',
      request_id: 'r',
      errors: [{ pointer: '/reply_to', code: 'required', message: 'is required' }],
    });
  });

  it('has no detail that repeats its title, and no errors without a pointer', () => {
    const problem = v1.error(noCredential(), context);
    expect(problem).not.toHaveProperty('detail');
    expect(problem).not.toHaveProperty('errors');
  });

  it('is an envelope on the legacy surface, without a request id', () => {
    expect(
      legacy.error(invalidMember(['replyTo', 'name'], 'required', 'is required'), {
        ...context,
        shape: SendEmail,
      }),
    ).toEqual({
      success: false,
      error: {
        message: 'One or more fields are invalid',
        code: 'VALIDATION_ERROR',
        details: { errors: [{ field: 'replyTo.name', code: 'required', message: 'is required' }] },
      },
    });
    expect(legacy.error(wrongMethod(['GET']), context)).toEqual({
      success: false,
      error: { message: 'The resource does not know this method', code: 'RESOURCE_NOT_FOUND' },
    });
  });

  it('escapes pointers and keeps names that the request used', () => {
    const refused = new RefusedMembers([
      { path: ['replyTo', 'a/b~c', '0'], code: 'unknown_field', message: 'm' },
    ]);
    expect(v1.error(refused, { ...context, shape: SendEmail })).toMatchObject({
      errors: [{ pointer: '/replyTo/a~1b~0c/0' }],
    });
  });

  it('has a title and a legacy name for every code, and a status for every kind', () => {
    const kinds = Object.keys(statusOfKind) as ErrorKind[];
    for (const code of [...errorCodes, ...legacyOnlyCodes]) {
      for (const kind of kinds) {
        const problem = v1.error(new DomainError(kind, code, 'm'), context) as Record<string, unknown>;
        expect(errorCodes).toContain(problem['code']);
        expect(problem['title']).toBe(titles[problem['code'] as keyof typeof titles]);
        expect(problem['status']).toBe(statusOfKind[kind]);
        expect(legacy.error(new DomainError(kind, code, 'm'), context)).toEqual({
          success: false,
          error: { message: 'm', code: code.toUpperCase() },
        });
      }
    }
    expect(new Set(Object.values(titles)).size).toBe(errorCodes.length);
    expect(Object.keys(v1Codes).sort()).toEqual([...legacyOnlyCodes].sort());
    for (const status of Object.values(statusOfKind)) expect(status).toBeGreaterThanOrEqual(400);
  });

  it('contains the previous status of a membership', () => {
    const error = new DomainError('conflict', 'resubscribe_confirmation_required', 'm', {
      previousStatus: 'UNSUBSCRIBED',
    });
    expect(v1.error(error, context)).toMatchObject({ code: 'conflict', previous_status: 'UNSUBSCRIBED' });
    expect(legacy.error(error, context)).toMatchObject({
      error: { code: 'RESUBSCRIBE_CONFIRMATION_REQUIRED', details: { previousStatus: 'UNSUBSCRIBED' } },
    });
  });
});
