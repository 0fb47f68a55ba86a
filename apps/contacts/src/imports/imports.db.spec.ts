import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { consents, contactEvents, contactImports, contacts, type RequestContract } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { borrowContactsSuite, type BorrowedContacts } from '../testing/contacts-suite.js';
import { rejectedRowsWork } from './imports.repository.js';
import { importsFixture } from '../testing/imports-fixture.js';

let suite: BorrowedContacts;
let imports: ReturnType<typeof importsFixture>;
beforeAll(async () => {
  suite = await borrowContactsSuite();
  imports = importsFixture(suite);
});
afterAll(() => suite.stop());

describe('an import of contacts', () => {
  it('creates and updates contacts with their consents and bulk events', async () => {
    const { caller, projectId } = suite.buildProject();
    const table =
      'E-Mail;Plan;Age;Subscribed\r\nAda@Example.com;pro;36;\r\n"b@x.example";"two\r\nlines";;no\r\n';
    const begun = await imports.upload(caller, table, { consent: 'I want news' });
    expect(begun).toMatchObject({ status: 'QUEUED', processed: 0, finishedAt: null });
    expect(await imports.ended(caller, begun)).toMatchObject({
      status: 'COMPLETED',
      total: 2,
      processed: 2,
      created: 2,
      updated: 0,
      failed: 0,
    });
    expect(await imports.contactsOf(caller)).toEqual([
      { email: 'ada@example.com', subscribed: true, customFields: { Plan: 'pro', Age: 36 } },
      { email: 'b@x.example', subscribed: false, customFields: { Plan: 'two\r\nlines' } },
    ]);
    expect(await suite.eventsOf(projectId, contactEvents.created)).toEqual([]);
    expect(await suite.eventsOf(projectId, contactEvents.bulkCreated)).toEqual([
      expect.objectContaining({ count: 2, source: 'IMPORT' }),
    ]);
    expect(suite.optOuts.filter((published) => published.projectId === projectId)).toMatchObject([
      { email: 'b@x.example' },
    ]);
    const { items } = await suite.bus.call(contacts.list, caller, { search: 'ada@' });
    const [consent] = (await suite.bus.call(consents.list, caller, { id: items[0]!.id })).items;
    expect(consent).toMatchObject({ source: 'IMPORT', text: 'I want news', before: null, after: true });
    await eventually(async () => {
      const left = await suite.database.query(`SELECT 1 FROM import_pieces WHERE import_id = $1`, [begun.id]);
      return left.length === 0;
    }, 'the file is gone');
  });

  it.each([
    ['create', { created: 1, updated: 0, skipped: 2 }, { known: { Plan: 'old' }, new: { Plan: 'n1' } }],
    ['update', { created: 0, updated: 1, skipped: 2 }, { known: { Plan: 'k2', Age: 7 } }],
    ['both', { created: 1, updated: 1, skipped: 1 }, { known: { Plan: 'k2', Age: 7 }, new: { Plan: 'n1' } }],
  ] as const)('folds its repeats and knows whom it may touch: %s', async (mode, counts, fields) => {
    const { caller } = suite.buildProject();
    await suite.bus.call(contacts.create, caller, {
      email: 'known@x.example',
      customFields: { Plan: 'old' },
    });
    const begun = await imports.upload(
      caller,
      'email,Plan,Age\nknown@x.example,k1,7\nKNOWN@x.example,k2,\nnew@x.example,n1,\n',
      { mode },
    );
    expect(await imports.ended(caller, begun)).toMatchObject({ ...counts, processed: 3, failed: 0 });
    const written = await imports.contactsOf(caller);
    expect(
      Object.fromEntries(written.map(({ email, customFields }) => [email.split('@')[0], customFields])),
    ).toEqual(fields);
  });

  it('rejects invalid rows with line and reason, and imports the others', async () => {
    const { caller } = suite.buildProject();
    const deep = JSON.stringify({ a: { b: { c: { d: { e: {} } } } } }).replaceAll('"', '""');
    const rows: [row: string | Buffer, reason: RegExp | null][] = [
      ['good@x.example,,', null],
      ['no address,,', /no valid address/],
      [',,', /no address/],
      ['"open"x@x.example,,', /quote/],
      ['a\0b@x.example,,', /NUL/],
      [Buffer.from([0x61, 0xff, 0x40, 0x2c, 0x2c]), /invalid in the encoding/],
      ['perhaps@x.example,perhaps,', /status that is not understood: perhaps/],
      [`deep@x.example,,"${deep}"`, /deeper than 5/],
      [`large@x.example,,"{""a"":""${'x'.repeat(65_536)}""}"`, /65536 bytes/],
      ['proto@x.example,,"{""__proto__"":{""a"":1}}"', /__proto__/],
      ['huge@x.example,,"{""a"":1e400}"', /too large/],
      ['none@x.example,,[1]', /not a JSON object/],
      ['nul@x.example,,"{""a"":""\\u0000""}"', /NUL/],
      ['wide@x.example,,,,', /more cells/],
      [Array.from({ length: 1_000 }, () => 'x').join(','), /more than 200/],
      ['x'.repeat(1024 * 1024 + 1), /longer than 1 MiB/],
      ['infinity@x.example,yes,"{""a"":""infinity""}"', null],
    ];
    const table = Buffer.concat([
      Buffer.from('email,subscribed,custom_fields\n'),
      ...rows.flatMap(([row]) => [Buffer.from(row as string), Buffer.from('\n')]),
    ]);
    const begun = await imports.upload(caller, table);
    const bad = rows.flatMap(([, reason], index) => (reason ? [{ line: index + 2, reason }] : []));
    expect(await imports.ended(caller, begun)).toMatchObject({
      status: 'COMPLETED',
      processed: rows.length,
      created: 2,
      failed: bad.length,
    });
    const errors = await imports.errorsOf(caller, begun);
    expect(errors.map(({ line }) => line)).toEqual(bad.map(({ line }) => line));
    for (const [position, { reason }] of bad.entries()) expect(errors[position]!.reason).toMatch(reason);
    const broken = /quote|invalid in the encoding|more than 200|longer than/;
    const cells = errors
      .filter((error) => !broken.test(error.reason))
      .map((error) => error.cells?.[0]?.split('@')[0]);
    expect(cells).toEqual([
      'no address',
      '',
      'perhaps',
      'deep',
      undefined,
      'proto',
      'huge',
      'none',
      'nul',
      'wide',
    ]);
    expect(errors.filter(({ reason }) => broken.test(reason)).map((error) => error.cells)).toEqual(
      Array(5).fill(undefined),
    );
  });

  it('reports rejected rows with their columns, and without cells after a month', async () => {
    const { caller, projectId } = suite.buildProject();
    const errorsOf = async (table: string) => {
      const job = await imports.ended(caller, await imports.upload(caller, table));
      return { job, report: await suite.bus.call(contactImports.errors, caller, { id: job.id }) };
    };
    const headless = await errorsOf('Ann,ann@x.example,1\nBob,nobody,2\n');
    expect(headless.report).toMatchObject({
      columns: ['', 'email', ''],
      items: [{ line: 2, cells: ['Bob', 'nobody', '2'] }],
    });
    const { job, report } = await errorsOf('E-Mail,Plan\nnobody,pro\n');
    expect(report).toMatchObject({
      columns: ['E-Mail', 'Plan'],
      items: [{ line: 2, cells: ['nobody', 'pro'] }],
    });
    // As if a month had passed.
    await suite.queue.enqueue(rejectedRowsWork, [{ projectId, key: job.id }]);
    await eventually(async () => {
      const [error] = await imports.errorsOf(caller, job);
      return error!.cells === undefined;
    }, 'the cells are gone');
    expect(await imports.errorsOf(caller, headless.job)).toMatchObject([{ cells: ['Bob', 'nobody', '2'] }]);
  });

  it.each([
    ['', /empty/],
    ['name,plan\nAnn,pro\n', /no column of addresses/],
    [
      `email,${Array.from({ length: 1_000 }, (_, index) => `c${index}`).join(',')}\n`,
      /more than 200 columns/,
    ],
    ['email,__proto__\na@x.example,1\n', /__proto__/],
  ])('is refused if its table has no layout: %#', async (table, reason) => {
    const { caller } = suite.buildProject();
    const refused = imports.upload(caller, table);
    await expect(refused).rejects.toMatchObject({
      kind: 'invalid',
      details: { errors: [{ message: expect.stringMatching(reason) }] },
    });
    expect((await suite.bus.call(contactImports.list, caller, {})).items).toEqual([]);
  });

  it('reads columns by a mapping', async () => {
    const { caller } = suite.buildProject();
    const mapping = JSON.stringify({ Adresse: 'email', Mail: null, Tarif: 'custom_fields.plan' });
    await imports.ended(
      caller,
      await imports.upload(caller, 'Mail;Adresse;Tarif\nx;ada@x.example;pro\n', {
        mapping,
        subscribed: false,
      }),
    );
    expect(await imports.contactsOf(caller)).toEqual([
      { email: 'ada@x.example', subscribed: false, customFields: { plan: 'pro' } },
    ]);
    for (const bad of ['{"Nothing":"email"}', '[]', '{"Mail":"seq"}', '{']) {
      await expect(imports.upload(caller, 'Mail\na@x.example\n', { mapping: bad })).rejects.toMatchObject({
        kind: 'invalid',
      });
    }
  });

  it('is visible to its project only, and can be previewed', async () => {
    const [{ caller }, outsider] = [suite.buildProject(), suite.buildProject()];
    const begun = await imports.upload(caller, 'ada@example.com\n');
    for (const id of [begun.id, newId()]) {
      const requested = [
        contactImports.get,
        contactImports.errors,
        contactImports.cancel,
      ] as RequestContract<{ id: string }>[];
      for (const request of requested)
        await expect(suite.bus.call(request, outsider.caller, { id })).rejects.toMatchObject({
          kind: 'not_found',
        });
    }
    await imports.ended(caller, begun);
    expect((await suite.bus.call(contactImports.list, caller, {})).items).toMatchObject([{ id: begun.id }]);
    const bytes = Buffer.from('Email,Age,Plan\nada@x.example,36,pro\nnobody,37,7\n').toString('base64');
    expect(
      await suite.bus.call(contactImports.preview, caller, { bytes, last: true, encoding: 'utf-8' }),
    ).toMatchObject({
      delimiter: ',',
      headed: true,
      columns: [
        { name: 'Email', field: 'email', type: 'text' },
        { name: 'Age', field: 'custom_fields.Age', type: 'number' },
        { name: 'Plan', field: 'custom_fields.Plan', type: 'mixed' },
      ],
      rows: [
        {
          line: 2,
          email: 'ada@x.example',
          subscribed: null,
          customFields: { Age: 36, Plan: 'pro' },
          reason: null,
        },
        { line: 3, email: null, reason: 'has no valid address' },
      ],
    });
  });
});
