import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { eventCatalogue, requestCatalogue } from '../common/catalogue.js';
import { exampleOf } from './example.js';
import {
  Choice,
  Count,
  FreeMap,
  Id,
  Instant,
  Line,
  ListOf,
  MailboxOf,
  Nested,
  Nullable,
  Optional,
  StringMap,
  Text,
} from './fields.js';
import { jsonSchemaOf, type SchemaSurface } from './json-schema.js';
import { tryParse } from './parse.js';

class Part {
  @Id() id: string;
  @Count({ max: 9 }) count: number;
}

class Whole {
  @Text(1, 5) title: string;
  @Line(0, 20) @Optional() subject?: string;
  @Choice(['A', 'B']) @Nullable() kind: 'A' | 'B' | null;
  @Choice(['A', 'B'], { open: true }) growing: string;
  @Nested(() => Part) @Nullable() part: Part | null;
  @ListOf(() => Part, 1, 2) parts: Part[];
  @MailboxOf() @Optional() from?: object;
  @StringMap({ max: 2, itemMax: 3, pattern: /^(x-[a-z]+|references)$/i }) @Optional() headers?: Record<
    string,
    string
  >;
  @FreeMap({ v1JsonText: true, describe: 'whatever the project keeps' }) customFields: Record<
    string,
    unknown
  >;
  @Instant({ legacyOnly: true }) createdAt: Date;
}

const ajv = new Ajv2020({ strict: true, allErrors: true, keywords: ['x-extensible-enum'] });
(addFormats as unknown as (instance: Ajv2020) => void)(ajv);
const part = { id: '01980a5c-1b2d-7c3e-8f40-000000000001', count: 0 };
const whole = {
  title: 'Hello',
  kind: null,
  growing: 'C',
  part: null,
  parts: [part],
  customFields: { any: [1] },
  createdAt: '2026-01-31T09:00:00Z',
};
const with_ = (change: object) => ({ ...whole, ...change });

describe('a JSON schema', () => {
  const takes = ajv.compile(jsonSchemaOf(Whole, { closed: true }));

  it.each([
    ['the shape itself', {}, true],
    ['a missing member', { title: undefined }, false],
    ['a text that is too long', { title: 'Hello!' }, false],
    ['a text that is too short', { title: '' }, false],
    ['two lines in a one-line text', { subject: 'a\nb' }, false],
    ['a choice', { kind: 'B' }, true],
    ['no choice of the set', { kind: 'C' }, false],
    ['a nested shape', { part }, true],
    ['a nested shape that is wrong', { part: { ...part, count: 10 } }, false],
    ['a negative count', { parts: [{ ...part, count: -1 }] }, false],
    ['too few entries', { parts: [] }, false],
    ['too many entries', { parts: [part, part, part] }, false],
    ['a mailbox as text', { from: 'Ada <ada@example.com>' }, true],
    ['a mailbox as an object', { from: { email: 'ada@example.com' } }, true],
    ['a mailbox of a number', { from: 1 }, false],
    ['names of either case', { headers: { 'X-One': 'abc', References: 'abc' } }, true],
    ['a name outside the pattern', { headers: { bcc: 'abc' } }, false],
    ['a value that is too long', { headers: { 'x-one': 'abcd' } }, false],
    ['a member that nobody declared', { more: 1 }, false],
    ['no id', { parts: [{ ...part, id: '1' }] }, false],
  ])('validates %s like the shape', (_, change, fits) => {
    const value = JSON.parse(JSON.stringify(with_(change))) as object;
    expect(takes(value)).toBe(fits);
    expect(tryParse(Whole, value).failures.length === 0).toBe(fits);
  });

  it('is open unless closed, so that readers accept new members', () => {
    expect(ajv.validate(jsonSchemaOf(Whole), with_({ more: 1, parts: [{ ...part, more: 1 }] }))).toBe(true);
  });

  it('uses the names of a surface', () => {
    const v1: SchemaSurface = {
      nameOf: (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      shows: (_, { legacyOnly }) => !legacyOnly,
      refOf: (shape) => (shape === Part ? '#/components/schemas/Part' : undefined),
      rewrite: (schema, _, { v1JsonText }) =>
        v1JsonText ? { type: 'string', contentMediaType: 'application/json' } : schema,
    };
    const { properties, required } = jsonSchemaOf(Whole, v1) as {
      properties: Record<string, object>;
      required: string[];
    };
    expect(properties).toMatchObject({
      custom_fields: {
        type: 'string',
        contentMediaType: 'application/json',
        description: 'whatever the project keeps',
      },
      part: { anyOf: [{ $ref: '#/components/schemas/Part' }, { type: 'null' }] },
      parts: { type: 'array', items: { $ref: '#/components/schemas/Part' } },
    });
    expect(properties).not.toHaveProperty('created_at');
    expect(required).toEqual(['title', 'kind', 'growing', 'part', 'parts', 'custom_fields']);
  });

  it.each([
    ...eventCatalogue.map(({ name, item }) => [name, item] as const),
    ...requestCatalogue.map(({ subject, body }) => [subject, body] as const),
  ])('accepts the example of %s, and so does the shape', (_, shape) => {
    const example = exampleOf(shape);
    expect(ajv.validate(jsonSchemaOf(shape, { closed: true }), example) || ajv.errors).toBe(true);
    expect(tryParse(shape, example).failures).toEqual([]);
  });
});
