import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { importRows, layoutOf, type ImportRow } from './import-rows.js';

async function read(csv: string): Promise<ImportRow[]> {
  const rows: ImportRow[] = [];
  for await (const row of importRows(csv)) rows.push(row);
  return rows;
}

const row = (email: string, reason = 'MANUAL') => ({ email, reason });

describe('importing a list of addresses', () => {
  it.each<[string, string, ImportRow[] | object[]]>([
    [
      'plain',
      'email,reason\nAda@Example.com,HARD_BOUNCE\ngrace@example.com,\n',
      [row('ada@example.com', 'HARD_BOUNCE'), row('grace@example.com')],
    ],
    ['in another order and case', 'Reason;x\n', []],
    [
      'of one column',
      'E-Mail\r\nada@example.com\r\n\r\ngrace@example.com',
      [row('ada@example.com'), row('grace@example.com')],
    ],
    [
      'without a header',
      'ada@example.com,complaint\ngrace@example.com',
      [row('ada@example.com', 'COMPLAINT'), row('grace@example.com')],
    ],
    [
      'with a byte order mark and quotes',
      '\ufeff"email","reason"\n" ada@example.com ","Hard bounce"',
      [row('ada@example.com', 'HARD_BOUNCE')],
    ],
    [
      'with rows that are not valid',
      'email,reason\nno address,MANUAL\nada@example.com,because\n',
      [null, null],
    ],
    [
      'as our own export writes it',
      "email,reason,source,created_at\n'+ada@example.com,MANUAL,API,2026-01-31T09:00:00.000Z\n",
      [row('+ada@example.com')],
    ],
    [
      'as one provider exports suppressions',
      'EmailAddress,SuppressionReason,Origin,CreatedAt\nada@example.com,HardBounce,Recipient,2026-01-31\ngrace@example.com,SpamComplaint,Recipient,x\nalan@example.com,ManualSuppression,Admin,x\n',
      [row('ada@example.com', 'HARD_BOUNCE'), row('grace@example.com', 'COMPLAINT'), row('alan@example.com')],
    ],
    [
      'as another one exports bounces',
      'status,reason,email,created\n5.1.1,"550 5.1.1 no such user, sorry",ada@example.com,1769850000\n',
      [row('ada@example.com', 'HARD_BOUNCE')],
    ],
  ])('reads a list: %s', async (_, csv, rows) => {
    if (rows.length === 0) expect(() => layoutOf(csv)).toThrow('One or more fields are invalid');
    else expect(await read(csv)).toEqual(rows);
  });

  it.each(['name\nAda', '', '"open', '\n\n', 'reason\nMANUAL'])(
    'refuses a list without addresses: %j',
    (csv) => {
      expect(() => layoutOf(csv)).toThrow('One or more fields are invalid');
    },
  );

  it('fails at an unclosed quote', async () => {
    await expect(read('email\nada@example.com\n"open')).rejects.toThrow(/quote/i);
  });

  it.each(['"open', '"ada"@example.com\ngrace@example.com'])(
    'yields every row before a malformed one: %j',
    async (fault) => {
      const rows = Array.from({ length: 1_500 }, (_, index) => row(`r${index}@list.example`));
      const csv = ['email', ...rows.map(({ email }) => email), fault].join('\n');
      const seen: ImportRow[] = [];
      await expect(
        (async () => {
          for await (const each of importRows(csv)) seen.push(each);
        })(),
      ).rejects.toThrow(/quote/i);
      expect(seen).toEqual(rows);
    },
  );

  it('reads any text, row by row, across pieces', async () => {
    const cell = fc.oneof(fc.constantFrom('ada@example.com', 'x'.repeat(700), '汉@example.com'), fc.string());
    await fc.assert(
      fc.asyncProperty(fc.array(cell, { maxLength: 400 }), async (cells) => {
        const csv = `email\n${cells.map((text) => `"${text.replaceAll('"', '""')}"`).join('\n')}`;
        expect(await read(csv)).toHaveLength(cells.length);
      }),
      { numRuns: 30 },
    );
  });
});
