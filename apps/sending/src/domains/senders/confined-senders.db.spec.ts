import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { domains, emails, type Caller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { buildSend, startSendingSuite, type SendingSuite } from '../../testing/sending-suite.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite();
});
afterAll(() => suite.stop());

const sandbox = { address: 'p-1@sandbox.test', recipients: ['owner@example.com', 'other@example.com'] };
const accept = async (caller: Caller, send: ReturnType<typeof buildSend> | object) => {
  const [outcome] = await Promise.allSettled([
    suite.bus.call(emails.accept, caller, send as ReturnType<typeof buildSend>),
  ]);
  return outcome.status === 'fulfilled'
    ? outcome.value.emails.map(({ from }) => from)
    : [outcome.reason.kind, outcome.reason.code, outcome.reason.message];
};
const to = (...addresses: string[]) => ({
  recipients: addresses.map((email) => ({ id: newId(), to: { email } })),
});
const unverified = ['invalid', 'validation_error', expect.anything()];
const refused = (reason: RegExp) => ['forbidden', 'scope_missing', expect.stringMatching(reason)];

describe('a TEST key', () => {
  const build = async () => {
    const { caller, domain } = await suite.buildProject();
    const send = { ...buildSend(domain), from: { email: sandbox.address } };
    return {
      test: { ...caller, mode: 'TEST', sandbox } as Caller,
      live: { ...caller, mode: 'LIVE' } as Caller,
      domain,
      send,
    };
  };

  it('sends from the sandbox to its owners and the simulator', async () => {
    const { test, send } = await build();
    expect(await accept(test, { ...send, ...to('owner@example.com') })).toEqual([sandbox.address]);
    expect(
      await accept(test, { ...send, ...to('other@example.com', 'bounce@simulator.posthorn.test') }),
    ).toEqual([sandbox.address, sandbox.address]);
    expect(await accept(test, { ...send, ...to('complaint+tag@simulator.posthorn.test') })).toEqual([
      sandbox.address,
    ]);
    expect(await accept(test, { ...send, from: undefined, ...to('owner@example.com') })).toEqual([
      sandbox.address,
    ]);
  });

  it('sends from no other domain, verified or not, and to nobody else', async () => {
    const { test, send, domain } = await build();
    for (const email of [
      `hello@${domain}`,
      'p-2@sandbox.test',
      'x@nobody.example',
      `p-1@sandbox.test.${domain}`,
    ]) {
      expect(await accept(test, { ...send, from: { email }, ...to('owner@example.com') })).toEqual(
        refused(/only from the sandbox/),
      );
    }
    const beyond = [
      'reader@example.com',
      'owner@example.com.evil.test',
      'x@simulator.posthorn.test',
      'bounce@simulator.posthorn.test.evil.test',
    ];
    for (const email of beyond) {
      expect(await accept(test, { ...send, ...to('owner@example.com', email) })).toEqual(
        refused(/only to verified addresses/),
      );
    }
    const { sandbox: _none, ...unknown } = test;
    expect(await accept(unknown, { ...send, ...to('owner@example.com') })).toEqual(
      refused(/only from the sandbox/),
    );
    const [row] = await suite.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM emails WHERE project_id = $1`,
      [test.projectId],
    );
    expect(row!.count).toBe(0);
  });

  it('is refused before anything is stored', async () => {
    const { test, send } = await build();
    const check = (recipient: string) =>
      suite.bus.call(emails.check, test, { from: send.from, to: [recipient] });
    expect(await check('owner@example.com')).toEqual({ accepted: null });
    await expect(check('reader@example.com')).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'scope_missing',
    });
  });

  it('is the only one to send from the sandbox, which nobody can verify', async () => {
    const { live, send } = await build();
    for (const caller of [live, { ...live, mode: undefined }])
      expect(await accept(caller, send)).toEqual(refused(/^Only a TEST key/));
    for (const domain of ['sandbox.test', 'p-1.sandbox.test', 'test']) {
      await expect(suite.bus.call(domains.verify, live, { domain })).rejects.toMatchObject({
        kind: expect.stringMatching(/conflict|invalid/),
      });
    }
  });
});

describe('a key that is restricted to a domain', () => {
  it('sends from that domain only', async () => {
    const { caller, domain } = await suite.buildProject();
    const second = `second-${domain}`;
    const { id } = await suite.bus.call(domains.verify, caller, { domain: second });
    const listed = await suite.bus.call(domains.list, caller, {});
    expect(listed.items.map((each) => [each.domain, each.id === id])).toEqual(
      expect.arrayContaining([
        [second, true],
        [domain, false],
      ]),
    );
    const confined: Caller = { ...caller, mode: 'LIVE', domainId: id };
    const send = buildSend(second);
    expect(await accept(confined, send)).toEqual([`hello@${second}`]);
    expect(await accept(confined, { ...buildSend(second), from: { email: `a@mail.${second}` } })).toEqual([
      `a@mail.${second}`,
    ]);
    expect(await accept(confined, { ...buildSend(second), from: undefined })).toEqual([`hello@${second}`]);
    expect(await accept(confined, buildSend(domain))).toEqual(refused(/only from the domain/));
    expect(await accept(confined, buildSend('nobody.example'))).toEqual(unverified);
    expect(await accept({ ...confined, domainId: newId() }, buildSend(domain))).toEqual(
      refused(/only from the domain/),
    );
    await expect(
      suite.bus.call(emails.check, confined, { from: { email: `hello@${domain}` } }),
    ).rejects.toMatchObject({
      kind: 'forbidden',
    });
    expect(await accept(caller, buildSend(domain))).toEqual([`hello@${domain}`]);
  });
});
