import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  emailValidations,
  importPieceBytes,
  maxOpenValidations,
  type Caller,
  type EmailValidationSummary,
  type ValidatedLine,
  type ValidationVerdict,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { DnsServer, eventually } from '@posthorn/testing';
import { erase } from '../testing/erasing.js';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
let dns: DnsServer;
beforeAll(async () => {
  dns = await DnsServer.start();
  suite = await startSendingSuite({ DNS_SERVERS: dns.address, DNS_TIMEOUT_MS: '200' });
  dns.set('MX', 'list.example', ['10 mx.list.example']);
});
afterAll(async () => {
  await suite.stop();
  await dns.stop();
});

async function upload(caller: Caller, csv: string, column?: string): Promise<EmailValidationSummary> {
  const bytes = Buffer.from(csv);
  let file: EmailValidationSummary | null = null;
  for (let place = 0; !file || place * importPieceBytes < bytes.length; place += 1) {
    const piece = bytes.subarray(place * importPieceBytes, (place + 1) * importPieceBytes);
    const last = (place + 1) * importPieceBytes >= bytes.length;
    const sent = { bytes: piece.toString('base64'), last };
    file = file
      ? await suite.bus.call(emailValidations.append, caller, { ...sent, id: file.id, place })
      : await suite.bus.call(emailValidations.start, caller, column ? { ...sent, column } : sent);
  }
  return file!;
}
const now = (caller: Caller, { id }: { id: string }) =>
  suite.bus.call(emailValidations.get, caller, { id }).catch(() => null);
const ended = (caller: Caller, file: EmailValidationSummary) =>
  eventually(
    async () => {
      const found = await now(caller, file);
      return found?.finishedAt ? found : null;
    },
    'the file is validated',
    50_000,
  );
async function resultsOf(
  caller: Caller,
  { id }: { id: string },
  verdict?: ValidationVerdict,
): Promise<ValidatedLine[]> {
  const found: ValidatedLine[] = [];
  for (let hasMore = true; hasMore;) {
    const request = { id, ...(verdict ? { verdict } : {}), afterLine: found.at(-1)?.line ?? 0 };
    const page = await suite.bus.call(emailValidations.results, caller, request);
    found.push(...page.items);
    hasMore = page.hasMore;
  }
  return found;
}
const rowsOf = (count: number, of: string) =>
  Array.from({ length: count }, (_, index) => `Reader ${index},${of}-${index}@list.example`);

describe('the validation of a file', () => {
  it('says of each row what was found, by its line', async () => {
    const { caller } = await suite.buildProject();
    const csv = [
      'sep=;',
      'Name;E-Mail',
      'Ada;ada@list.example',
      '',
      '"Grace\nHopper";Grace@List.example',
      'nobody;',
      "formula;'+plus@list.example",
      'broken;"a"b',
      'role;info@list.example',
      'none;ada@none.example',
    ].join('\n');
    const begun = await upload(caller, csv);
    expect(begun).toMatchObject({ status: 'QUEUED', processed: 0, finishedAt: null });
    const done = await ended(caller, begun);
    expect(done).toMatchObject({
      status: 'COMPLETED',
      total: 7,
      processed: 7,
      counts: { VALID: 3, RISKY: 1, INVALID: 3, UNKNOWN: 0 },
    });
    expect(
      (await resultsOf(caller, begun)).map(({ line, email, verdict, reason }) => [
        line,
        email,
        verdict,
        reason,
      ]),
    ).toEqual([
      [3, 'ada@list.example', 'VALID', null],
      [5, 'grace@list.example', 'VALID', null],
      [7, '', 'INVALID', 'syntax'],
      [8, '+plus@list.example', 'VALID', null],
      [9, '', 'INVALID', 'syntax'],
      [10, 'info@list.example', 'RISKY', 'role'],
      [11, 'ada@none.example', 'INVALID', 'no_mail_host'],
    ]);
    expect((await resultsOf(caller, begun, 'RISKY')).map(({ line }) => line)).toEqual([10]);
    expect(done!.results).toHaveLength(7);
    const left = await suite.database.query(
      `SELECT 1 FROM email_validation_pieces WHERE validation_id = $1`,
      [begun.id],
    );
    expect(left).toEqual([]);
  });

  it('goes on where it was after a restart, looks a row up once, and shows the first fifty', async () => {
    const { caller } = await suite.buildProject();
    const count = 12_000;
    const begun = await upload(caller, ['name,email', ...rowsOf(count, 'long')].join('\n'));
    expect(begun.total).toBe(count);
    await eventually(async () => ((await now(caller, begun))?.processed ?? 0) > 0, 'it began');
    await suite.restart();
    const done = await ended(caller, begun);
    expect(done).toMatchObject({ status: 'COMPLETED', total: count, processed: count });
    expect(done!.counts.VALID).toBe(count);
    expect(done!.results).toHaveLength(50);
    const lines = (await resultsOf(caller, begun)).map(({ line }) => line);
    expect(lines).toEqual(Array.from({ length: count }, (_, index) => index + 2));
  });

  it('reads the column that is named, by its name or number', async () => {
    const { caller } = await suite.buildProject();
    const named = await upload(caller, 'email,second\nada@list.example,grace@list.example\n', 'second');
    const numbered = await upload(caller, 'ada@list.example|grace@list.example\n', '2');
    for (const file of [named, numbered])
      expect((await ended(caller, file))!.results.map(({ email }) => email)).toEqual(['grace@list.example']);
  });

  it('refuses what is no table of addresses, and stores nothing', async () => {
    const { caller, projectId } = await suite.buildProject();
    for (const [csv, column] of [
      ['', undefined],
      ['name\nAda', undefined],
      ['"email\nada@list.example', undefined],
      ['email\nada@list.example', 'other'],
      ['ada@list.example', '2'],
      ['ada@list.example', 'email'],
    ] as const)
      await expect(upload(caller, csv, column)).rejects.toMatchObject({ kind: 'invalid' });
    const rows = await suite.database.query(`SELECT 1 FROM email_validations WHERE project_id = $1`, [
      projectId,
    ]);
    expect(rows).toEqual([]);
  });

  it('is one of a few at a time, can be cancelled, and belongs to its project', async () => {
    const [{ caller }, outsider] = [await suite.buildProject(), await suite.buildProject()];
    const start = () =>
      suite.bus.call(emailValidations.start, caller, {
        bytes: Buffer.alloc(importPieceBytes, 'ada@list.example\n').toString('base64'),
        last: false,
      });
    const open = [];
    for (let count = 0; count < maxOpenValidations; count += 1) open.push(await start());
    await expect(start()).rejects.toMatchObject({ kind: 'conflict' });
    const [first] = open;
    for (const id of [first!.id, newId()])
      for (const refused of [
        suite.bus.call(emailValidations.cancel, outsider.caller, { id }),
        suite.bus.call(emailValidations.results, outsider.caller, { id }),
      ])
        await expect(refused).rejects.toMatchObject({ kind: 'not_found' });
    const { id } = first!;
    expect(await suite.bus.call(emailValidations.cancel, caller, { id })).toMatchObject({
      status: 'CANCELLED',
    });
    await expect(
      suite.bus.call(emailValidations.append, caller, { id, place: 1, bytes: '', last: true }),
    ).rejects.toMatchObject({ kind: 'conflict' });
    const again = await suite.bus.call(emailValidations.append, caller, {
      id: open[1]!.id,
      place: 0,
      bytes: '',
      last: false,
    });
    expect(again.total).toBe(open[1]!.total);
    await start();
  });

  it('fails where the rest of the file does not come, and keeps what was found before a limit', async () => {
    const { caller } = await suite.buildProject();
    const { id } = await suite.bus.call(emailValidations.start, caller, {
      bytes: Buffer.alloc(importPieceBytes, 'ada@list.example\n').toString('base64'),
      last: false,
    });
    await suite.database.query(`UPDATE work_items SET due_at = now() WHERE key = $1`, [id]);
    expect((await ended(caller, { id } as EmailValidationSummary))!.status).toBe('FAILED');
  });

  it('names nobody who was erased, also in rows that are looked at later', async () => {
    const { caller, projectId } = await suite.buildProject();
    dns.set('MX', 'gone.example', ['10 mx.gone.example']);
    const rows = [...rowsOf(3_000, 'kept'), 'x,erased@gone.example', 'y,Me <erased@gone.example>'];
    const begun = await upload(caller, ['name,email', ...rows].join('\n'));
    await erase(suite, caller, 'erased@gone.example');
    const done = await now(caller, begun);
    expect(done).toMatchObject({ status: 'COMPLETED', processed: 3_002 });
    const found = JSON.stringify(await resultsOf(caller, begun));
    expect(found).not.toContain('erased@gone.example');
    expect(found).toContain('kept-2999@list.example');
    expect(
      await suite.database.query(`SELECT 1 FROM email_validation_pieces WHERE project_id = $1`, [projectId]),
    ).toEqual([]);
  });
});
