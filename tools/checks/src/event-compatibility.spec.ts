import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  eventCatalogue,
  eventExample,
  eventSchema,
  eventSchemas,
  type JsonSchema,
} from '@posthorn/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { incompatibilities } from './event-compatibility.js';

const releases = resolve('docs/events');
const byVersion = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true });
const lastRelease = readdirSync(releases).sort(byVersion).at(-1)!;
const last = JSON.parse(readFileSync(join(releases, lastRelease), 'utf8')) as Record<string, JsonSchema>;

const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  allErrors: true,
  keywords: ['x-extensible-enum'],
});
(addFormats as unknown as (instance: Ajv2020) => void)(ajv);

describe(`consumers of the last release (${lastRelease})`, () => {
  it('find every event as it was promised', () => {
    expect(incompatibilities(last, eventSchemas())).toEqual([]);
  });

  it.each(eventCatalogue.map((contract) => [contract.name, contract] as const))(
    'read %s of today',
    (name, contract) => {
      const example = eventExample(contract);
      expect(ajv.validate(eventSchema(contract), example) || ajv.errors).toBe(true);
      if (last[name]) expect(ajv.validate(last[name], example) || ajv.errors).toBe(true);
    },
  );
});

describe('a change of an event', () => {
  const event = (item: object, required = ['to']) => ({
    'a.b': {
      type: 'object',
      properties: {
        items: { type: 'array', maxItems: 256, items: { type: 'object', properties: item, required } },
      },
    },
  });
  const to = { type: 'string', maxLength: 10 };
  const open = { type: 'string', 'x-extensible-enum': ['A'] };
  const before = event({ to, kind: { type: 'string', enum: ['A', 'B'] }, open }, ['to', 'kind']);
  const changed = (item: object, required = ['to', 'kind']) =>
    event({ to, kind: { type: 'string', enum: ['A', 'B'] }, open, ...item }, required);

  it.each([
    ['a new member', changed({ more: { type: 'string' } })],
    ['a new required member', changed({ more: { type: 'string' } }, ['to', 'kind', 'more'])],
    ['a new event', { ...before, 'a.c': {} }],
    ['a value fewer', changed({ kind: { type: 'string', enum: ['A'] } })],
    ['a narrower limit', changed({ to: { type: 'string', maxLength: 9 } })],
    ['a new value of an open set', changed({ open: { type: 'string', 'x-extensible-enum': ['A', 'B'] } })],
  ])('breaks nobody: %s', (_, today) => {
    expect(incompatibilities(before, today)).toEqual([]);
  });

  it.each<[string, object]>([
    ['a.b: is gone', {}],
    ['a.b.items[].to: is gone', event({ kind: { type: 'string', enum: ['A', 'B'] }, open }, ['kind'])],
    ['a.b.items[].to: may now be absent', changed({}, ['kind'])],
    ['a.b.items[].to: may now be null', changed({ to: { type: ['string', 'null'], maxLength: 10 } })],
    ['a.b.items[].to: may now be integer', changed({ to: { type: 'integer', maxLength: 10 } })],
    ['a.b.items[].to: maxLength is wider', changed({ to: { type: 'string', maxLength: 11 } })],
    ['a.b.items[].to: maxLength is wider', changed({ to: { type: 'string' } })],
    ['a.b.items[].to: format changed', changed({ to: { ...to, format: 'email' } })],
    ['a.b.items[].kind: may now be C', changed({ kind: { type: 'string', enum: ['A', 'B', 'C'] } })],
    ['a.b.items[].kind: may now be anything', changed({ kind: { type: 'string' } })],
  ])('breaks somebody: %s', (problem, today) => {
    expect(incompatibilities(before, today as Record<string, JsonSchema>)).toContain(problem);
  });
});
