import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contactImports, contacts, type Caller, type ContactImportOptions } from '@posthorn/contracts';
import { startContactsSuite, type ContactsSuite } from '../testing/contacts-suite.js';
import { importsFixture } from '../testing/imports-fixture.js';
import { listsFixture } from '../testing/lists-fixture.js';

let suite: ContactsSuite;
let imports: ReturnType<typeof importsFixture>;
let lists: ReturnType<typeof listsFixture>;
beforeAll(async () => {
  suite = await startContactsSuite();
  imports = importsFixture(suite);
  lists = listsFixture(suite);
});
afterAll(() => suite.stop());

const upload = async (caller: Caller, table: string, options: ContactImportOptions = {}) =>
  imports.ended(caller, await imports.upload(caller, table, options));
const subscriptions = async (caller: Caller) => {
  const { items } = await suite.bus.call(contacts.list, caller, {});
  return Object.fromEntries(items.map(({ email, subscribed }) => [email.split('@')[0], subscribed]));
};
const table = `email,status
ann@x.example,subscribed
ben@x.example,unsubscribed
carl@x.example,bounced
dora@x.example,marked as spam
eva@x.example,unconfirmed
`;

describe('an import', () => {
  it('subscribes only who is subscribed, and suppresses who bounced or complained', async () => {
    const { caller, projectId } = suite.buildProject();
    expect(await upload(caller, table)).toMatchObject({ status: 'COMPLETED', created: 5, failed: 0 });
    expect(await subscriptions(caller)).toEqual({
      ann: true,
      ben: false,
      carl: false,
      dora: false,
      eva: false,
    });
    const put = suite.optOuts.filter((optOut) => optOut.projectId === projectId);
    expect(Object.fromEntries(put.map(({ email, suppress }) => [email.split('@')[0], suppress]))).toEqual({
      ben: undefined,
      carl: 'HARD_BOUNCE',
      dora: 'COMPLAINT',
    });
  });

  it('does not subscribe again who left here, and says so, unless it is told to', async () => {
    const { caller } = suite.buildProject();
    await suite.bus.call(contacts.create, caller, { email: 'ann@x.example' });
    await suite.bus.call(contacts.unsubscribe, caller, { email: 'ann@x.example' });
    // A recipient of transactional mail was never asked, and has not left.
    await suite.bus.call(contacts.ensure, caller, { emails: ['bob@x.example'] });
    const both = 'email,status\nann@x.example,active\nbob@x.example,active\n';
    const job = await upload(caller, both);
    expect(await subscriptions(caller)).toEqual({ ann: false, bob: true });
    expect(await imports.errorsOf(caller, job)).toMatchObject([
      { line: 2, reason: expect.stringContaining('stays unsubscribed') },
    ]);
    await upload(caller, 'ann@x.example\n', { subscribed: true });
    expect(await subscriptions(caller)).toMatchObject({ ann: false });
    await upload(caller, both, { resubscribe: true });
    expect(await subscriptions(caller)).toEqual({ ann: true, bob: true });
  });

  it('leaves a subscriber of ours alone who is unconfirmed elsewhere', async () => {
    const { caller } = suite.buildProject();
    await suite.bus.call(contacts.create, caller, { email: 'eva@x.example' });
    await upload(caller, table);
    expect(await subscriptions(caller)).toMatchObject({ eva: true });
  });

  it('adds nobody to a list who left or has not confirmed', async () => {
    const { caller } = suite.buildProject();
    const list = await lists.build(caller);
    await upload(caller, table, { listId: list.id });
    expect(await lists.recount(caller, list.id)).toBe(1);
  });

  it('of an address that is in the table twice unsubscribes it if one row says so', async () => {
    const { caller } = suite.buildProject();
    for (const mode of ['both', 'create'] as const)
      await upload(caller, `email,status\n${mode}@x.example,unsubscribed\n${mode}@x.example,subscribed\n`, {
        mode,
      });
    expect(await subscriptions(caller)).toEqual({ both: false, create: false });
  });

  it('is refused while it is not certain who may be mailed, and the preview names the column', async () => {
    const { caller } = suite.buildProject();
    const unclear = 'email,Status\nann@x.example,A\nben@x.example,U\n';
    await expect(imports.upload(caller, unclear)).rejects.toMatchObject({
      kind: 'invalid',
      details: { errors: [{ path: ['statusColumn'], message: expect.stringContaining('"Status"') }] },
    });
    const preview = await suite.bus.call(contactImports.preview, caller, {
      bytes: Buffer.from(unclear).toString('base64'),
      last: true,
      encoding: 'utf-8',
    });
    expect(preview.statusColumns).toEqual([
      {
        name: 'Status',
        values: [
          { value: 'A', status: null },
          { value: 'U', status: null },
        ],
        needsDecision: true,
      },
    ]);
    await upload(caller, unclear, {
      statusColumn: 'Status',
      statusValues: '{"A":"SUBSCRIBED","U":"UNSUBSCRIBED"}',
    });
    expect(await subscriptions(caller)).toEqual({ ann: true, ben: false });
  });
});
