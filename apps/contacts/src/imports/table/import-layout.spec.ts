import { describe, expect, it } from '@jest/globals';
import { CsvReader } from '@posthorn/csv';
import { layoutOf } from './import-layout.js';
import { readRow } from './import-rows.js';
import { statusOf } from './import-status.js';
import { valueOf } from './import-value.js';

const subscribed = { status: { kind: 'AGREED', means: 'UNSUBSCRIBED' } } as const;
const subscribedOf = (cell: string) => statusOf(subscribed.status, cell);

describe('the layout of a table', () => {
  it.each([
    ['E-Mail;Plan;Subscribed\na@b.example;x;1\n', ';', ['email', { customField: 'Plan' }, subscribed]],
    [
      'id,email,subscribed,custom_fields,created_at\n',
      ',',
      [null, 'email', subscribed, 'customFields', null],
    ],
    ['Name\tEmail Address\tName\n', '\t', [{ customField: 'Name' }, 'email', null]],
    ['line,reason,Email,reason\n', ',', [null, null, 'email', { customField: 'reason' }]],
    ['reason,line,Email\n', ',', [{ customField: 'reason' }, { customField: 'line' }, 'email']],
    ['"Email","Notes, long"\n', ',', ['email', { customField: 'notes_long' }]],
    [
      'Email,First Name,first_name,Größe (cm),—\n',
      ',',
      [
        'email',
        { customField: 'first_name_2' },
        { customField: 'first_name' },
        { customField: 'grosse_cm' },
        { customField: '—' },
      ],
    ],
    [
      'Email Address,First Name,MEMBER_RATING,TAGS\n',
      ',',
      ['email', { customField: 'first_name' }, { customField: 'MEMBER_RATING' }, { customField: 'TAGS' }],
    ],
    [
      'uuid,email,name,attributes,status,created_at,updated_at\n',
      ',',
      [null, 'email', { customField: 'name' }, 'customFields', { customField: 'status' }, null, null],
    ],
  ])('follows from its header: %j', (text, delimiter, fields) => {
    expect(layoutOf(Buffer.from(text))).toMatchObject({ delimiter, fields, headed: true });
  });

  it('is found by addresses if there is no header, and is missing without any', () => {
    expect(layoutOf(Buffer.from('Ann|ann@b.example\n'))).toEqual({
      delimiter: '|',
      columns: [],
      fields: [null, 'email'],
      headed: false,
      start: 0,
    });
    for (const text of ['', '\n', 'name,plan\nAnn,pro\n', '<!doctype html>'])
      expect(layoutOf(Buffer.from(text))).toBeNull();
  });
});

describe('an export of another product', () => {
  it.each([
    ['UNSUB_TIME', 'UNSUBSCRIBED'],
    ['CLEAN_TIME', 'BOUNCED'],
  ])('with the column %s contains nobody who is subscribed', (column, status) => {
    const layout = layoutOf(Buffer.from(`Email Address,${column}\na@b.example,2026-01-01\n`))!;
    expect(layout.status).toBe(status);
    const [row] = [...new CsvReader({ delimiter: ',' }).push(Buffer.from('a@b.example,2026-01-01\n'))];
    expect(readRow(row!, layout).contact).toMatchObject({ email: 'a@b.example', status });
  });

  it('names the state of a subscription in its own words', () => {
    expect(['enabled', 'disabled', 'blocklisted', 'cleaned'].map(subscribedOf)).toEqual([
      'SUBSCRIBED',
      'UNSUBSCRIBED',
      'UNSUBSCRIBED',
      'BOUNCED',
    ]);
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
    expect(['yes', '0', ' ', 'perhaps'].map(subscribedOf)).toEqual([
      'SUBSCRIBED',
      'UNSUBSCRIBED',
      undefined,
      null,
    ]);
  });
});
