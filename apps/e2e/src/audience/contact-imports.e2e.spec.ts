import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import { parse } from 'csv-parse/sync';
import { prefixes, surfaces, withPosthorn, type Surface } from '../testing/bad-input.js';
import type { Answer } from '../testing/running-posthorn.js';

const suite = withPosthorn({});
const positions: Record<Surface, string> = { v1: '/api/v1/contacts/imports', legacy: '/api/contacts/import' };
const csv = { 'content-type': 'text/csv' };

/** Also sends bodies as they are produced; the response may come before the end. */
async function upload(
  path: string,
  body: string | Uint8Array | (() => AsyncGenerator<Uint8Array>),
  headers: Record<string, string> = csv,
): Promise<Answer> {
  if (typeof body !== 'function') return suite.posthorn.post(path, body, headers);
  const { baseUrl, secretKey } = suite.posthorn.dev;
  const init = {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}`, ...headers },
    body: ReadableStream.from(body()),
    duplex: 'half',
  };
  const answer = await fetch(`${baseUrl}${path}`, init as RequestInit);
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) };
}

const jobOf = ({ body }: Answer): Record<string, unknown> =>
  (body.success ? body.data : body) as Record<string, unknown>;

async function ended(published: Answer): Promise<Record<string, unknown>> {
  expect([published.status, published.text]).toEqual([202, expect.any(String)]);
  return eventually(async () => {
    const now = await suite.posthorn.get(`/api/v1/contacts/imports/${jobOf(published).id as string}`);
    return now.body.finished_at ? (now.body as Record<string, unknown>) : null;
  }, 'the import ends');
}

const addressesOf = async (search: string): Promise<string[]> => {
  const { body } = await suite.posthorn.get(
    `/api/v1/contacts?search=${encodeURIComponent(search)}&limit=100`,
  );
  return (body.data as { email: string }[]).map(({ email }) => email).sort();
};

const reasonOf = ({ body }: Answer): string =>
  (body.errors ?? body.error?.details?.errors)?.[0]?.message ?? body.detail ?? body.error?.message;

describe('an import of contacts', () => {
  it.each(surfaces)('mails nobody who left elsewhere, on %s', async (surface) => {
    const suppression = (email: string) => suite.posthorn.get(`/api/v1/suppressions/${email}`);
    const table = `Email,Status\nin@${surface}.example,Subscribed\nout@${surface}.example,Unsubscribed\nspam@${surface}.example,Marked as spam\n`;
    const done = await ended(await upload(positions[surface], table));
    expect(done).toMatchObject({ status: 'COMPLETED', created: 3 });
    const { body } = await suite.posthorn.get(`/api/v1/contacts?search=${surface}.example&subscribed=true`);
    expect(body.data).toMatchObject([{ email: `in@${surface}.example` }]);
    expect((await suppression(`spam@${surface}.example`)).body).toMatchObject({ reason: 'COMPLAINT' });
    expect((await suppression(`out@${surface}.example`)).status).toBe(404);
    const unclear = `Email,Status\na@${surface}.example,A\nb@${surface}.example,U\n`;
    const refused = await upload(positions[surface], unclear);
    expect([refused.status, reasonOf(refused)]).toEqual([422, expect.stringContaining('"Status"')]);
    const values = encodeURIComponent('{"A":"SUBSCRIBED","U":"UNSUBSCRIBED"}');
    const [column, means] =
      surface === 'v1' ? ['status_column', 'status_values'] : ['statusColumn', 'statusValues'];
    await ended(await upload(`${positions[surface]}?${column}=Status&${means}=${values}`, unclear));
    expect(
      (await suite.posthorn.get(`/api/v1/contacts?search=b@${surface}.example`)).body.data,
    ).toMatchObject([{ subscribed: false }]);
  });

  it.each(surfaces)('begins, is looked at, and says which rows were bad, on %s', async (surface) => {
    const own = `${prefixes[surface]}/contacts/imports`;
    const before = await upload(
      `${own}/preview`,
      `Email;Plan;Age\nada@${surface}.example;pro;36\nnobody;=1+1;x\n`,
    );
    const shown = jobOf(before);
    expect([
      before.status,
      shown['delimiter'],
      shown['encoding'],
      (shown['rows'] as object[]).length,
    ]).toEqual([200, ';', 'utf-8', 2]);
    const begun = await upload(
      positions[surface],
      `Email;Plan;Age\nada@${surface}.example;pro;36\n=nobody;x;+1\n`,
    );
    expect(await ended(begun)).toMatchObject({
      status: 'COMPLETED',
      total: 2,
      processed: 2,
      created: 1,
      failed: 1,
    });
    const id = jobOf(begun)['id'] as string;
    expect(jobOf(await suite.posthorn.get(`${own}/${id}`))).toMatchObject({ id, status: 'COMPLETED' });
    const listed = await suite.posthorn.get(own);
    expect(
      (surface === 'v1' ? listed.body.data : listed.body.data.items).map((each: { id: string }) => each.id),
    ).toContain(id);
    const errors = await suite.posthorn.get(`${own}/${id}/errors`);
    expect([errors.headers.get('content-type'), parse(errors.text)]).toEqual([
      'text/csv; charset=utf-8',
      [
        ['line', 'reason', 'Email', 'Plan', 'Age'],
        ['3', 'has no valid address', "'=nobody", 'x', "'+1"],
      ],
    ]);
    const corrected = await upload(
      positions[surface],
      errors.text.replace("'=nobody", `bob@${surface}.example`),
    );
    expect(await ended(corrected)).toMatchObject({ status: 'COMPLETED', created: 1, failed: 0 });
    const { body } = await suite.posthorn.get(`/api/v1/contacts?search=bob@${surface}.example`);
    expect(JSON.parse(body.data[0].custom_fields as string)).toEqual({ Plan: 'x', Age: '+1' });
    expect(jobOf(await suite.posthorn.post(`${own}/${id}/cancel`, undefined))).toMatchObject({
      status: 'COMPLETED',
    });
  });

  it.each(surfaces)('is followed by events until it ends, on %s', async (surface) => {
    // An import may end before the stream is opened, but not every time.
    for (let round = 1, seen = 0; seen < 2; round += 1) {
      expect(round).toBeLessThan(6);
      const rows = Array.from(
        { length: 20_000 },
        (_, index) => `r${index}@events-${round}-${surface}.example`,
      );
      const begun = await upload(positions[surface], ['email', ...rows].join('\n'));
      const path = `${prefixes[surface]}/contacts/imports/${jobOf(begun)['id'] as string}`;
      const published = await suite.posthorn.get(path, { accept: 'text/event-stream' });
      expect(published.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      const data = published.text.split('\n').filter((line) => line.startsWith('data: '));
      const states = data.map((line) => jobOf({ body: JSON.parse(line.slice(6)) } as Answer));
      expect(states.at(-1)).toMatchObject({ status: 'COMPLETED', processed: 20_000, created: 20_000 });
      seen = states.length;
    }
  });

  it('accepts the file of a form, with its options before', async () => {
    const form = new FormData();
    form.set('mode', 'create');
    form.set('mapping', JSON.stringify({ Adresse: 'email' }));
    form.set('file', new Blob(['Adresse,Note\r\nform@x.example,"a\r\n--b"\r\n']), 'people.csv');
    const request = new Request('http://x.example', { method: 'POST', body: form });
    const bytes = new Uint8Array(await request.arrayBuffer());
    const begun = await upload(positions.v1, bytes, { 'content-type': request.headers.get('content-type')! });
    expect(await ended(begun)).toMatchObject({ status: 'COMPLETED', created: 1, failed: 0 });
    const { body } = await suite.posthorn.get('/api/v1/contacts?search=form@x.example');
    expect(JSON.parse(body.data[0].custom_fields as string)).toEqual({ Note: 'a\r\n--b' });
    for (const broken of [bytes.subarray(0, -20), bytes.subarray(0, 40)]) {
      const refused = await upload(positions.v1, broken, {
        'content-type': request.headers.get('content-type')!,
      });
      expect(refused.status).toBe(400);
    }
  });

  it.each<[string, Uint8Array, Record<string, string>, string[]]>([
    ['with a UTF-8 byte order mark', Buffer.from('\ufeffemail\nmark@e1.example\n'), csv, ['mark@e1.example']],
    [
      'in UTF-16',
      Buffer.from('\ufeffemail,n\r\nsixteen@e2.example,ä\r\n', 'utf16le'),
      csv,
      ['sixteen@e2.example'],
    ],
    [
      'in UTF-16 big-endian',
      Buffer.from('\ufeffemail\nother@e3.example\n', 'utf16le').swap16(),
      csv,
      ['other@e3.example'],
    ],
    [
      'in Windows-1252',
      Buffer.from('email,n\nlatin@e4.example,\xe4\xf6\n', 'latin1'),
      csv,
      ['latin@e4.example'],
    ],
    [
      'in its declared encoding',
      Buffer.from('email,n\nsaid@e5.example,\xe4\n', 'latin1'),
      { 'content-type': 'text/csv; charset=iso-8859-15' },
      ['said@e5.example'],
    ],
    [
      'with quotes across lines',
      Buffer.from('email,n\r\n"quoted@e6.example","a\r\n""b"""\r\n'),
      csv,
      ['quoted@e6.example'],
    ],
    [
      'with lone CR',
      Buffer.from('email\ra@e7.example\rb@e7.example\r'),
      csv,
      ['a@e7.example', 'b@e7.example'],
    ],
    [
      'with NUL',
      Buffer.from('email\na@e8.example\nb\0@e8.example\nc@e8.example\n'),
      csv,
      ['a@e8.example', 'c@e8.example'],
    ],
    [
      'packed',
      gzipSync('email\npacked@e9.example\n'),
      { ...csv, 'content-encoding': 'gzip' },
      ['packed@e9.example'],
    ],
  ])('reads a table %s', async (_, bytes, headers, written) => {
    await ended(await upload(positions.v1, bytes, headers));
    expect(await addressesOf(written[0]!.split('@')[1]!)).toEqual(written);
  });

  it.each<[string, string | Uint8Array, Record<string, string>, number, RegExp]>([
    ['HTML', '<!DOCTYPE html><html><body>a@x.example</body></html>', csv, 422, /HTML/],
    ['a workbook', Buffer.from('PK\x03\x04xx'), csv, 422, /workbook/],
    ['binary data', Buffer.from(Array.from({ length: 600 }, (_, index) => index % 32)), csv, 422, /binary/],
    ['undeclared gzip', gzipSync('email\na@x.example\n'), csv, 422, /gzip/],
    ['invalid gzip', 'email\n', { ...csv, 'content-encoding': 'gzip' }, 400, /gzip/],
    ['another compression', 'email\n', { ...csv, 'content-encoding': 'br' }, 415, /gzip/],
    ['another type', 'email\n', { 'content-type': 'application/octet-stream' }, 415, /./],
    ['a thousand columns', `email,${'c,'.repeat(999)}\n`, csv, 422, /more than 200 columns/],
    ['a table without addresses', JSON.stringify({ csv: 'x' }), {}, 422, /no column/],
    ['a member __proto__', 'email,__proto__\na@x.example,1\n', csv, 422, /__proto__/],
  ])('refuses %s', async (_, body, headers, status, reason) => {
    for (const surface of surfaces) {
      const refused = await upload(positions[surface], body, headers);
      expect([refused.status, reasonOf(refused)]).toEqual([status, expect.stringMatching(reason)]);
    }
  });

  it('refuses a decompression bomb and continues to work', async () => {
    const bomb = gzipSync(Buffer.concat([Buffer.from('email\n'), Buffer.alloc(256 * 1024 * 1024, 'a')]));
    const refused = await upload(positions.v1, bomb, { ...csv, 'content-encoding': 'gzip' });
    expect([refused.status, reasonOf(refused)]).toEqual([413, expect.stringMatching(/unpacks/)]);
    await ended(await upload(positions.v1, 'email\nafter@bomb.example\n'));
  });

  it('with a line of fifty megabytes imports all other rows', async () => {
    const table = async function* () {
      yield await Promise.resolve(Buffer.from('email\nbefore@line.example\n'));
      for (let part = 0; part < 50; part += 1) yield Buffer.alloc(1024 * 1024, 'x');
      yield Buffer.from('\nbehind@line.example\n');
    };
    expect(await ended(await upload(positions.v1, table))).toMatchObject({
      status: 'COMPLETED',
      processed: 3,
      created: 2,
      failed: 1,
    });
    expect(await addressesOf('line.example')).toEqual(['before@line.example', 'behind@line.example']);
  });

  it('is cancelled if its client disconnects', async () => {
    const { baseUrl, secretKey } = suite.posthorn.dev;
    const leave = new AbortController();
    const table = async function* () {
      yield await Promise.resolve(Buffer.from(`email\n${'left@away.example\n'.repeat(60_000)}`));
      const known = await eventually(async () => {
        const { body } = await suite.posthorn.get('/api/v1/contacts/imports?limit=1');
        return body.data[0]?.status === 'QUEUED' && body.data[0].total > 20_000;
      }, 'the first pieces are there');
      if (known) leave.abort();
      yield Buffer.from('email');
    };
    const headers = { authorization: `Bearer ${secretKey}`, ...csv };
    const init = {
      method: 'POST',
      headers,
      body: ReadableStream.from(table()),
      duplex: 'half',
      signal: leave.signal,
    };
    await expect(fetch(`${baseUrl}${positions.v1}`, init as RequestInit)).rejects.toThrow();
    await eventually(async () => {
      const { body } = await suite.posthorn.get('/api/v1/contacts/imports?limit=1');
      return body.data[0].status === 'CANCELLED';
    }, 'it is over');
    expect(await addressesOf('away.example')).toEqual([]);
  });
});
