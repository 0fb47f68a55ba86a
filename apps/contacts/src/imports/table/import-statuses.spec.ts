import { describe, expect, it } from '@jest/globals';
import type { StartContactImport } from '@posthorn/contracts';
import { CsvReader } from '@posthorn/csv';
import { currentLayout, startOf, type ImportLayout } from './import-layout.js';
import { readRow } from './import-rows.js';
import { refuseUnclear } from './import-statuses.js';
import { readTable } from './import-table.js';

const read = (table: string, options: Partial<StartContactImport> = {}) => {
  const head = Buffer.from(table);
  const { layout, columns } = readTable(head, { last: true, ...options });
  const reader = new CsvReader({ delimiter: layout.delimiter, ...startOf(layout) });
  const bytes = head.subarray(layout.start);
  const rows = [...reader.push(bytes), ...reader.end()].slice(layout.headed ? 1 : 0);
  return { layout, columns, rows: rows.map((row) => readRow(row, layout)) };
};
const statuses = (table: string, options?: Partial<StartContactImport>) =>
  read(table, options).rows.map(({ contact, reason }) => contact?.status ?? reason);
const unclear = (table: string, options?: Partial<StartContactImport>) =>
  read(table, options).columns.flatMap(({ name, unclear: values }) =>
    values.length > 0 ? [[name, ...values]] : [],
  );

describe('an export of another product', () => {
  it('says by a flag who left: the paid subscription beside it is a custom field', () => {
    const table = `email,active_subscription,plan,email_disabled
ann@x.example,false,other,false
ben@x.example,false,other,true
cara@x.example,true,yearly,true
`;
    expect(statuses(table)).toEqual([null, 'UNSUBSCRIBED', 'UNSUBSCRIBED']);
    expect(read(table).rows[0]!.contact!.customFields).toEqual({ active_subscription: false, plan: 'other' });
  });

  it.each([
    ['Email,Status', ['active', 'unsubscribed', 'unreachable'], ['SUBSCRIBED', 'UNSUBSCRIBED', 'BOUNCED']],
    [
      'Email,Status',
      ['Subscribed', 'Unsubscribed', 'Marked as spam', 'Bounced', 'Unconfirmed'],
      ['SUBSCRIBED', 'UNSUBSCRIBED', 'COMPLAINED', 'BOUNCED', 'PENDING'],
    ],
    ['email,status', ['active', 'inactive', 'validating'], ['SUBSCRIBED', 'UNSUBSCRIBED', 'PENDING']],
    ['Email,State', ['active', 'cancelled', 'complained'], ['SUBSCRIBED', 'UNSUBSCRIBED', 'COMPLAINED']],
    ['E-Mail,Newsletter', ['ja', 'nein'], ['SUBSCRIBED', 'UNSUBSCRIBED']],
    ['email,Kontakt', ['Abonniert', 'Abgemeldet'], ['SUBSCRIBED', 'UNSUBSCRIBED']],
    ['email,Unsubscribed from all email', ['true', ''], ['UNSUBSCRIBED', null]],
    ['email,unsubscribed_at', ['2026-01-02 10:00:00', ''], ['UNSUBSCRIBED', null]],
    ['email,Accepts Email Marketing', ['yes', ''], ['SUBSCRIBED', 'PENDING']],
    ['email,Email Marketing: Status', ['NEVER_SUBSCRIBED', 'SUBSCRIBED'], ['PENDING', 'SUBSCRIBED']],
    ['email,confirmed', ['2026-01-01', ''], ['SUBSCRIBED', 'PENDING']],
    ['email,Unsubscribed at', ['"Jan 5, 2024 3:04 PM"', '20240105'], ['UNSUBSCRIBED', 'UNSUBSCRIBED']],
    ['email,consent,status', [',', ','], [null, null]],
  ])('%s: %j is %j', (header, values, expected) => {
    const table = [header, ...values.map((value, index) => `p${index}@x.example,${value}`)].join('\n');
    expect(unclear(table)).toEqual([]);
    expect(statuses(table)).toEqual(expected);
  });

  it('is read without a header, too', () => {
    expect(statuses('ann@x.example,Subscribed\nben@x.example,Unsubscribed\n')).toEqual([
      'SUBSCRIBED',
      'UNSUBSCRIBED',
    ]);
  });

  it('puts custom fields into a column of objects', () => {
    const table = 'Email,Data\nann@x.example,"{""city"":""Köln""}"\nben@x.example,\n';
    expect(read(table).rows.map(({ contact }) => contact!.customFields)).toEqual([{ city: 'Köln' }, {}]);
  });

  it('may begin with a line that names its delimiter', () => {
    const { layout, rows } = read('sep=;\r\nEmail;Name\r\nann@c4.example;Ann\r\n');
    expect(layout.delimiter).toBe(';');
    expect(rows).toMatchObject([
      { line: 3, contact: { email: 'ann@c4.example', customFields: { Name: 'Ann' } } },
    ]);
  });
});

describe('a column that seems to say who may be mailed', () => {
  it.each([
    ['email,Status\na@x.example,A\nb@x.example,U\n', [['Status', 'A', 'U']]],
    ['email,Group\na@x.example,Unsubscribed\nb@x.example,Weekly\n', [['Group', 'Weekly']]],
    [
      'email,membership\na@x.example,active\nb@x.example,cancelled\n',
      [['membership', 'active', 'cancelled']],
    ],
    ['email,newsletter\na@x.example,weekly\n', [['newsletter', 'weekly']]],
  ])('needs a decision where its values are not understood: %j', (table, expected) => {
    expect(unclear(table)).toEqual(expected);
    expect(() => refuseUnclear(read(table).columns)).toThrow('One or more fields are invalid');
  });

  it.each([
    'email,State\na@x.example,CA\nb@x.example,NY\n',
    'email,order_status\na@x.example,pending\nb@x.example,shipped\n',
    'email,status,plan\na@x.example,subscribed,active\nb@x.example,unsubscribed,cancelled\n',
    'email,note\na@x.example,asked for a quote\n',
  ])('is none of these: %j', (table) => {
    expect(unclear(table)).toEqual([]);
  });

  it('needs a decision however many different values it has', () => {
    const rows = Array.from({ length: 40 }, (_, index) => `p${index}@x.example,Unsubscribed (${index})`);
    for (const name of ['Status', 'Unsubscribed', 'consent'])
      expect(unclear([`email,${name}`, ...rows].join('\n'))[0]).toHaveLength(41);
  });

  it('may show itself only behind the rows that were looked at: those are refused', () => {
    const rows = Array.from({ length: 6_000 }, (_, index) => `p${index}@x.example,aktiv`);
    const late = ['email,Kontaktstatus', ...rows, 'last@x.example,abgemeldet'].join('\n');
    expect(read(late).rows.at(-1)).toMatchObject({
      contact: null,
      reason: expect.stringContaining('abgemeldet'),
    });
    const given = { mapping: '{"Kontaktstatus":"custom_fields.state"}' };
    expect(read(late, given).rows.at(-1)).toMatchObject({
      contact: { customFields: { state: 'abgemeldet' } },
    });
    expect(
      read(
        ['email,status', ...rows.map((row) => row.replace('aktiv', '')), 'last@x.example,abgemeldet'].join(
          '\n',
        ),
      ).rows.at(-1),
    ).toMatchObject({ contact: { status: 'UNSUBSCRIBED' } });
  });

  it('is decided by the caller', () => {
    const table = 'email,Status\na@x.example,A\nb@x.example,U\nc@x.example,\n';
    const decision = {
      statusColumn: 'Status',
      statusValues: '{"A":"SUBSCRIBED","u":"COMPLAINED","":"PENDING"}',
    };
    expect(unclear(table, decision)).toEqual([]);
    expect(statuses(table, decision)).toEqual(['SUBSCRIBED', 'COMPLAINED', 'PENDING']);
    expect(unclear(table, { ...decision, statusValues: '{"A":"SUBSCRIBED"}' })).toEqual([['Status', 'U']]);
    expect(unclear(table, { mapping: '{"Status":"custom_fields.status"}' })).toEqual([]);
    for (const wrong of [
      { statusColumn: 'State' },
      { statusValues: '{}' },
      { statusColumn: 'Status', statusValues: '[]' },
      { statusColumn: 'Status', statusValues: '{"A":"YES"}' },
    ])
      expect(() => read(table, wrong)).toThrow('One or more fields are invalid');
  });

  it('subscribes nobody by a value that comes after the rows that were looked at', () => {
    const rows = Array.from({ length: 6_000 }, (_, index) => `p${index}@x.example,active`);
    const { rows: found } = read(['email,status', ...rows, 'last@x.example,gone'].join('\n'));
    expect(found.at(-1)).toMatchObject({
      contact: null,
      reason: 'has a status that is not understood: gone',
    });
  });

  it('of several, the gravest counts', () => {
    const table =
      'email,status,bounced,unsubscribed\na@x.example,active,yes,no\nb@x.example,active,no,yes\nc@x.example,active,no,no\n';
    expect(statuses(table)).toEqual(['BOUNCED', 'UNSUBSCRIBED', 'SUBSCRIBED']);
  });
});

it('an import that the release before has begun goes on', () => {
  const stored = {
    delimiter: ',',
    columns: [],
    headed: true,
    fields: ['email', 'subscribed'],
    subscribed: false,
  };
  expect(currentLayout(stored as unknown as ImportLayout)).toEqual({
    delimiter: ',',
    columns: [],
    headed: true,
    start: 0,
    status: 'UNSUBSCRIBED',
    fields: ['email', { status: { kind: 'AGREED', means: 'UNSUBSCRIBED' } }],
  });
});
