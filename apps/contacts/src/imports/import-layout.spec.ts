import { describe, expect, it } from '@jest/globals';
import { layoutOf } from './import-layout.js';
import { subscribedOf, valueOf } from './import-value.js';

describe('the layout of a table', () => {
  it.each([
    ['E-Mail;Plan;Subscribed\na@b.example;x;1\n', ';', ['email', { customField: 'Plan' }, 'subscribed']],
    [
      'id,email,subscribed,custom_fields,created_at\n',
      ',',
      [null, 'email', 'subscribed', 'customFields', null],
    ],
    ['Name\tEmail Address\tName\n', '\t', [{ customField: 'Name' }, 'email', null]],
    ['line,reason,Email,reason\n', ',', [null, null, 'email', { customField: 'reason' }]],
    ['reason,line,Email\n', ',', [{ customField: 'reason' }, { customField: 'line' }, 'email']],
    ['"Email","Notes, long"\n', ',', ['email', { customField: 'Notes, long' }]],
  ])('follows from its header: %j', (text, delimiter, fields) => {
    expect(layoutOf(Buffer.from(text))).toMatchObject({ delimiter, fields, headed: true });
  });

  it('is found by addresses if there is no header, and is missing without any', () => {
    expect(layoutOf(Buffer.from('Ann|ann@b.example\n'))).toEqual({
      delimiter: '|',
      columns: [],
      fields: [null, 'email'],
      headed: false,
    });
    for (const text of ['', '\n', 'name,plan\nAnn,pro\n', '<!doctype html>'])
      expect(layoutOf(Buffer.from(text))).toBeNull();
  });
});

describe('a cell', () => {
  it.each([
    ['42', 42],
    ['-1.5', -1.5],
    ['0043', '0043'],
    ['1.50', '1.50'],
    ['1e400', '1e400'],
    ['12345678901234567890', '12345678901234567890'],
    ['TRUE', true],
    ['', null],
    ['infinity', 'infinity'],
    ['constructor', 'constructor'],
  ])('%j is %j', (text, value) => {
    expect(valueOf(text)).toBe(value);
  });

  it('can be a subscription, empty or unknown', () => {
    expect(['yes', '0', ' ', 'perhaps'].map(subscribedOf)).toEqual([true, false, undefined, null]);
  });
});
