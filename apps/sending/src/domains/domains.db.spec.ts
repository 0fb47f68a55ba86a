import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  campaigns,
  domainEvents,
  domains,
  emails,
  type AddDomain,
  type Caller,
  type RecordPurpose,
  type SendingDomain,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { DnsServer, eventually, standIn } from '@posthorn/testing';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
let dns: DnsServer;
beforeAll(async () => {
  dns = await DnsServer.start();
  suite = await startSendingSuite({
    DNS_SERVERS: dns.address,
    DNS_TIMEOUT_MS: '150',
    MAIL_HOST: 'mail.posthorn.example',
    SPF_INCLUDE: 'spf.posthorn.example',
    PUBLIC_URL: 'https://links.posthorn.example',
    DEV_VERIFIED_DOMAINS: 'dev.test',
  });
});
afterEach(() => dns.clear());
afterAll(async () => {
  await suite.stop();
  await dns.stop();
});

let count = 0;
const freshName = () => `shop-${(count += 1)}.example`;
const callerOf = async (): Promise<Caller> => (await suite.buildProject()).caller;
const add = (caller: Caller, body: AddDomain) => suite.bus.call(domains.add, caller, body);
const check = (caller: Caller, { id }: SendingDomain) => suite.bus.call(domains.check, caller, { id });
const statusesOf = ({ verified, dkimStatus, spfStatus, dmarcStatus, mailFromStatus }: SendingDomain) => [
  verified,
  ...[dkimStatus, spfStatus, mailFromStatus, dmarcStatus],
];
const recordsFor = ({ records }: SendingDomain, purpose: RecordPurpose) =>
  records.filter((record) => record.purpose === purpose);
const sendFrom = (caller: Caller, domain: string) => suite.bus.call(emails.accept, caller, buildSend(domain));
const eventsOf = async ({ projectId }: Caller, name: string) => {
  const rows = await suite.database.query<{ items: { domain: string }[] }>(
    `SELECT items FROM outbox WHERE project_id = $1 AND event_name = $2`,
    [projectId, name],
  );
  return rows.flatMap(({ items }) => items.map(({ domain }) => domain));
};
const verifiedOne = async (caller: Caller, body: Partial<AddDomain> = {}) => {
  const added = await add(caller, { domain: freshName(), ...body });
  dns.paste(added.records);
  return check(caller, added);
};

describe('a domain', () => {
  it('is added with records to paste, and verified once they are found', async () => {
    const caller = await callerOf();
    const added = await add(caller, { domain: ' Shop.BÜCHER.example '.trim() });
    expect(added).toMatchObject({
      domain: 'shop.xn--bcher-kva.example',
      verified: false,
      region: 'us-east-1',
      stream: null,
      lastCheckedAt: null,
    });
    expect(statusesOf(added)).toEqual([false, ...Array.from({ length: 4 }, () => 'NOT_CHECKED')]);
    expect(added.records.map(({ purpose, type }) => `${purpose} ${type}`)).toEqual([
      'DKIM TXT',
      'DKIM TXT',
      'RETURN_PATH MX',
      'SPF TXT',
      'DMARC TXT',
    ]);
    expect(recordsFor(added, 'RETURN_PATH')[0]).toMatchObject({
      name: `bounces.${added.domain}`,
      value: '10 mail.posthorn.example',
    });
    await expect(sendFrom(caller, added.domain)).rejects.toMatchObject({ kind: 'invalid' });

    expect(statusesOf(await check(caller, added))).toEqual([false, 'FAILED', 'FAILED', 'FAILED', 'FAILED']);
    dns.paste(added.records);
    const verified = await check(caller, added);
    expect(statusesOf(verified)).toEqual([true, 'VERIFIED', 'VERIFIED', 'VERIFIED', 'VERIFIED']);
    expect(verified.records.map(({ status }) => status)).toEqual(added.records.map(() => 'VERIFIED'));
    expect(verified.lastCheckedAt).toBeInstanceOf(Date);
    expect((await sendFrom(caller, added.domain)).emails[0]!.from).toBe(`hello@${added.domain}`);
    expect(await eventsOf(caller, domainEvents.verified.name)).toEqual([added.domain]);
    expect(await suite.bus.call(domains.get, caller, { id: added.id })).toEqual(verified);
  });

  it.each<[string, string]>([
    ['localhost', 'invalid'],
    ['127.0.0.1', 'invalid'],
    ['[::1]', 'invalid'],
    ['co.uk', 'invalid'],
    ['a b.example', 'invalid'],
    ['sandbox.test', 'conflict'],
    ['x.sandbox.test', 'conflict'],
  ])('is not %s', async (domain, kind) => {
    await expect(add(await callerOf(), { domain })).rejects.toMatchObject({ kind });
  });

  it('is added once, with a hundred at most, in the region of the first', async () => {
    const { caller, projectId } = await suite.buildProject();
    const first = await add(caller, { domain: freshName() });
    await expect(add(caller, { domain: first.domain })).rejects.toMatchObject({ kind: 'conflict' });
    await expect(add(caller, { domain: freshName(), region: 'eu-west-1' })).rejects.toMatchObject({
      details: { errors: [{ path: ['region'] }] },
    });
    const both = await Promise.allSettled(
      Array.from({ length: 2 }, () => add(caller, { domain: 'twice.example' })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await suite.database.query(
      `INSERT INTO domains (project_id, id, domain, verified) SELECT $1, gen_random_uuid(), 'many-' || n || '.example', false FROM generate_series(1, 97) AS n`,
      [projectId],
    );
    await expect(add(caller, { domain: freshName() })).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringMatching(/at most 100/),
    });
    expect((await suite.bus.call(domains.list, caller, { limit: 100 })).items).toHaveLength(100);
  });

  it('of development is verified at once, without a lookup', async () => {
    const caller = await callerOf();
    const added = await add(caller, { domain: `x-${newId()}.dev.test` });
    expect(added.verified).toBe(true);
    expect(await check(caller, added)).toEqual(added);
    expect(await eventsOf(caller, domainEvents.verified.name)).toEqual([added.domain]);
  });

  it('is removed, but not while a campaign uses it or campaigns is unavailable', async () => {
    const caller = await callerOf();
    const added = await verifiedOne(caller);
    const remove = () => suite.bus.call(domains.delete, caller, { id: added.id });
    await expect(remove()).rejects.toMatchObject({ kind: 'unavailable' });
    let inUse = true;
    const stop = await standIn(suite.connection, campaigns.sendsFrom, async ({ domain }) => ({
      inUse: inUse && domain === added.domain,
    }));
    await expect(remove()).rejects.toMatchObject({ kind: 'conflict' });
    inUse = false;
    expect(await remove()).toEqual({ id: added.id });
    await stop();
    await expect(remove()).rejects.toMatchObject({ kind: 'not_found' });
    expect(await eventsOf(caller, domainEvents.removed.name)).toEqual([added.domain]);
    const [keys] = await suite.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM dkim_keys WHERE domain_id = $1`,
      [added.id],
    );
    expect(keys!.count).toBe(0);
  });
});

describe('the settings of a domain', () => {
  it('bind it to a stream, which has one default', async () => {
    const caller = await callerOf();
    const first = await verifiedOne(caller, { stream: 'MARKETING', streamDefault: true });
    const second = await verifiedOne(caller, { stream: 'MARKETING', streamDefault: true });
    const defaults = (await suite.bus.call(domains.list, caller, {})).items.map(({ id, streamDefault }) => [
      id,
      streamDefault,
    ]);
    expect(defaults).toEqual(expect.arrayContaining([[first.id, false], [second.id, true]])); // prettier-ignore
    await expect(sendFrom(caller, first.domain)).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'scope_missing',
    });
    const freed = await suite.bus.call(domains.update, caller, { id: second.id, stream: null });
    expect([freed.stream, freed.streamDefault]).toEqual([null, false]);
    await expect(
      suite.bus.call(domains.update, caller, { id: second.id, streamDefault: true }),
    ).rejects.toMatchObject({ kind: 'invalid' });
    expect(await suite.bus.call(domains.update, caller, { id: second.id })).toEqual(freed);
  });

  it('name a tracking host, which is used once its record is found', async () => {
    const caller = await callerOf();
    const added = await verifiedOne(caller);
    const trackingHost = `links.${added.domain}`;
    for (const wrong of ['links.other.example', added.domain, 'x']) {
      await expect(
        suite.bus.call(domains.update, caller, { id: added.id, trackingHost: wrong }),
      ).rejects.toMatchObject({
        kind: 'invalid',
      });
    }
    const named = await suite.bus.call(domains.update, caller, { id: added.id, trackingHost });
    expect(recordsFor(named, 'TRACKING')).toEqual([
      {
        purpose: 'TRACKING',
        type: 'CNAME',
        name: trackingHost,
        value: 'links.posthorn.example',
        status: 'NOT_CHECKED',
        problem: null,
      },
    ]);
    dns.set('CNAME', trackingHost, 'cdn.example');
    expect((await check(caller, added)).trackingStatus).toBe('FAILED');
    dns.set('CNAME', 'cdn.example', 'links.posthorn.example');
    expect((await check(caller, added)).trackingStatus).toBe('VERIFIED');
  });

  it('warn of a strict policy before the first send from a sub-domain', async () => {
    const caller = await callerOf();
    const { domain, ...added } = await verifiedOne(caller);
    await sendFrom(caller, `mail.${domain}`);
    dns.set('TXT', `_dmarc.${domain}`, 'v=DMARC1; p=reject; adkim=s');
    await check(caller, { ...added, domain });
    await sendFrom(caller, domain);
    await eventually(async () => {
      const [sent] = await Promise.allSettled([sendFrom(caller, `mail.${domain}`)]);
      return sent.status === 'rejected' && /adkim=r/.test(sent.reason.details.errors[0].message);
    }, 'the refusal says why');
  });
});

describe('two projects', () => {
  it('verify a host at the same instant: one succeeds', async () => {
    const callers = await Promise.all([callerOf(), callerOf(), callerOf()]);
    const domain = freshName();
    const added = await Promise.all(callers.map((caller) => add(caller, { domain })));
    for (const { records } of added) dns.paste(records.filter(({ purpose }) => purpose === 'DKIM'));
    const checked = await Promise.allSettled(callers.map((caller, index) => check(caller, added[index]!)));
    expect(checked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const each of checked)
      if (each.status === 'rejected')
        expect(each.reason).toMatchObject({ kind: 'conflict', message: /another project/ });
    await expect(add(await callerOf(), { domain })).rejects.toMatchObject({ kind: 'conflict' });
    await expect(add(await callerOf(), { domain: `mail.${domain}` })).rejects.toMatchObject({
      kind: 'conflict',
    });
  });
});
