import { describe, expect, it } from '@jest/globals';
import {
  CreateContact,
  CreateEvent,
  CreateSegment,
  DeleteContacts,
  SendEmail,
  SendEmails,
  type DomainError,
  type Shape,
} from '@posthorn/contracts';
import type { Dialect } from './dialect.js';
import { legacy } from './legacy.js';
import { readBody } from './read-body.js';
import { v1 } from './v1.js';

it.each([
  [v1, SendEmail, { html: '' }, 'body'],
  [v1, SendEmail, { HtmlBody: '' }, 'body'],
  [v1, SendEmail, { text_body: '' }, 'text'],
  [v1, SendEmail, { template_id: '' }, 'template'],
  [legacy, SendEmails, { sendAt: '' }, 'scheduledAt'],
  [v1, CreateEvent, { properties: {} }, 'payload'],
  [v1, CreateContact, { emial: '' }, 'email'],
])('names what was meant by a name from elsewhere, on %#', (dialect, shape, plain, meant) => {
  expect(() => readBody(dialect.names, shape as Shape, plain)).toThrow(
    expect.objectContaining({
      details: expect.objectContaining({
        errors: expect.arrayContaining([
          expect.objectContaining({ message: `is not a known field; did you mean \`${meant}\`?` }),
        ]),
      }),
    }),
  );
});

describe('a body', () => {
  const failuresOf = (dialect: Dialect, shape: new () => object, plain: object) => {
    try {
      readBody(dialect.names, shape, plain);
    } catch (error) {
      return (error as DomainError).details.errors!.map(({ path, code }) => `${path.join('/')} ${code}`);
    }
    return [];
  };
  const content = { subject: 's', body: 'b' };

  it('accepts only the names of its dialect', () => {
    expect(
      readBody(v1.names, SendEmail, { ...content, to: 'A@Example.test', reply_to: 'R <r@example.test>' }),
    ).toEqual({
      ...content,
      to: { email: 'a@example.test' },
      replyTo: { email: 'r@example.test', name: 'R' },
    });
    expect(
      failuresOf(v1, SendEmail, { ...content, to: 'a@b.cc', replyTo: 'a@b.cc', reply: 'a@b.cc' }),
    ).toEqual(['replyTo unknown_field', 'reply unknown_field']);
    expect(failuresOf(legacy, SendEmails, { ...content, to: 'a@b.cc', reply_to: 'a@b.cc' })).toEqual([
      'reply_to unknown_field',
    ]);
    expect(
      readBody(legacy.names, SendEmails, {
        ...content,
        to: ['a@b.cc', { email: 'D@e.ff' }],
        reply: 'a@b.cc',
      }),
    ).toMatchObject({
      to: [{ email: 'a@b.cc' }, { email: 'd@e.ff' }],
      replyTo: { email: 'a@b.cc' },
    });
  });

  it('leaves what was parsed as it is: an idempotency key is compared by its hash', () => {
    const plain = () => ({ ...content, to: 'A@b.cc', cc: ['A@b.cc'], attachments: [{ filename: 1 }] });
    const read = plain();
    expect(failuresOf(v1, SendEmail, read)).toHaveLength(2);
    expect(read).toEqual(plain());
  });

  it('measures a free object with a long list, and refuses one that is too deep', () => {
    const list = Array.from({ length: 200_000 }, (_, index) => index);
    const contact = (custom_fields: object) => ({ email: 'a@b.cc', custom_fields });
    expect(String(failuresOf(v1, CreateContact, contact({ list })))).toBe('custom_fields too_long');
    const deep = { a: { a: { a: { a: { a: { a: 1 } } } } } };
    expect(String(failuresOf(v1, CreateContact, contact(deep)))).toBe('custom_fields out_of_range');
  });

  it('reports all failures at once', () => {
    expect(
      failuresOf(v1, SendEmail, {
        to: ['a@b.cc', 'd@e.ff'],
        subject: 'a\r\nBcc: x',
        extra: 1,
        metadata: { a: 1 },
        headers: { Bcc: 'x' },
      }),
    ).toEqual([
      'extra unknown_field',
      'to invalid_format',
      'subject invalid_text',
      'headers/Bcc invalid_format',
      'metadata/a invalid_type',
      'body required',
    ]);
  });

  it('names the known field that an unknown one is like, in the names of the dialect', () => {
    const textsOf = (...parameters: Parameters<typeof readBody>) => {
      try {
        readBody(...parameters);
      } catch (error) {
        return (error as DomainError).details.errors!.map(
          ({ path, message }) => `${path.join('/')} ${message}`,
        );
      }
      return [];
    };
    const mail = { ...content, to: 'a@b.cc' };
    expect(textsOf(v1.names, SendEmail, { ...mail, sheduledAt: 1, colour: 'red' })).toEqual([
      'sheduledAt is not a known field; did you mean `scheduled_at`?',
      'colour is not a known field',
    ]);
    expect(textsOf(legacy.names, SendEmails, { ...mail, reply_to: 'a@b.cc' })).toEqual([
      'reply_to is not a known field; did you mean `replyTo`?',
    ]);
    expect(
      textsOf(v1.names, SendEmail, { ...mail, attachments: [{ filname: 'a.txt', content: 'AA==' }] }),
    ).toEqual([
      'attachments/0/filname is not a known field; did you mean `filename`?',
      'attachments/0/filename is required',
    ]);
  });

  it.each([
    [
      SendEmail,
      { sugject: 's' },
      ['sugject unknown_field', 'to required', 'subject required', 'body required'],
    ],
    [SendEmail, { to: 'a@b.cc', template: 'x' }, ['template invalid_format']],
    [
      CreateSegment,
      { nam: 'Pro', type: 'DYNAMIC' },
      ['nam unknown_field', 'name required', 'condition required'],
    ],
    [CreateEvent, { nme: 'a' }, ['nme unknown_field', 'name required', 'contactId required']],
    [DeleteContacts, { id: [] }, ['id unknown_field', 'ids required']],
  ])('names everything that is missing in the same answer: %p', (shape, plain, failures) => {
    expect(failuresOf(legacy, shape as Shape, plain)).toEqual(failures);
  });

  it('suggests names for the first unknown fields of a body only', () => {
    const plain = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`subjec${index}`, 1]));
    expect(failuresOf(v1, SendEmail, { ...plain, to: 'a@b.cc' })).toHaveLength(902);
  });

  it('accepts custom fields as an object, as text on v1, and as data on the legacy surface', () => {
    const email = 'a@b.cc';
    const expected = { email, customFields: { aKey: 1 } };
    expect(readBody(v1.names, CreateContact, { email, custom_fields: { aKey: 1 } })).toEqual(expected);
    expect(readBody(v1.names, CreateContact, { email, custom_fields: '{"aKey":1}' })).toEqual(expected);
    expect(readBody(legacy.names, CreateContact, { email, data: { aKey: 1 } })).toEqual(expected);
    expect(readBody(legacy.names, CreateContact, { email, customFields: { aKey: 1 } })).toEqual(expected);
    expect(failuresOf(legacy, CreateContact, { email, customFields: {}, data: {} })).toEqual([
      'data not_allowed',
    ]);
    expect(failuresOf(legacy, CreateContact, { email, customFields: '{}' })).toEqual([
      'customFields invalid_type',
    ]);
    expect(failuresOf(v1, CreateContact, { email, custom_fields: 'x' })).toEqual([
      'custom_fields invalid_type',
    ]);
  });

  it('checks JSON inside a string as well', () => {
    const email = 'a@b.cc';
    expect(failuresOf(v1, CreateContact, { email, custom_fields: '{"a":1,"a":2}' })).toEqual([
      'custom_fields not_allowed',
    ]);
    expect(failuresOf(v1, CreateContact, { email, custom_fields: '{"a":"\\u0000"}' })).toEqual([
      'custom_fields invalid_text',
    ]);
    expect(failuresOf(v1, CreateContact, { email, custom_fields: '{"a":'.repeat(40) })).toEqual([
      'custom_fields out_of_range',
    ]);
  });

  it('is safe against __proto__', () => {
    const plain = JSON.parse('{"__proto__":{"subscribed":false},"email":"a@b.cc"}') as object;
    expect(failuresOf(v1, CreateContact, plain)).toEqual(['__proto__ unknown_field']);
    const inside = JSON.parse('{"email":"a@b.cc","custom_fields":{"__proto__":{"polluted":true}}}') as object;
    readBody(v1.names, CreateContact, inside);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
