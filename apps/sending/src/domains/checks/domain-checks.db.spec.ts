import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  domainEvents,
  domains,
  type Caller,
  type DomainRecord,
  type SendingDomain,
} from '@posthorn/contracts';
import { DnsServer, eventually, type DnsBehaviour } from '@posthorn/testing';
import { startSendingSuite, type SendingSuite } from '../../testing/sending-suite.js';
import { domainCheckWork } from '../domains.repository.js';

let suite: SendingSuite;
let dns: DnsServer;
beforeAll(async () => {
  dns = await DnsServer.start();
  suite = await startSendingSuite({
    DNS_SERVERS: dns.address,
    DNS_TIMEOUT_MS: '150',
    MAIL_HOST: 'mail.posthorn.example',
  });
});
beforeEach(() => dns.clear());
afterAll(async () => {
  await suite.stop();
  await dns.stop();
});

let count = 0;

interface Owned {
  caller: Caller;
  domain: SendingDomain;
}

/** A domain whose records stand in the DNS. */
async function buildDomain(): Promise<Owned> {
  const { caller } = await suite.buildProject();
  const domain = await suite.bus.call(domains.add, caller, { domain: `checked-${(count += 1)}.example` });
  dns.paste(domain.records);
  return { caller, domain };
}

const check = ({ caller, domain }: Owned) => suite.bus.call(domains.check, caller, { id: domain.id });
const read = ({ caller, domain }: Owned) => suite.bus.call(domains.get, caller, { id: domain.id });
const dkimOf = ({ records }: SendingDomain): DomainRecord[] =>
  records.filter(({ purpose }) => purpose === 'DKIM');
const rsaOf = (domain: SendingDomain): DomainRecord =>
  dkimOf(domain).find(({ value }) => value.includes('k=rsa'))!;
const unpublish = (records: DomainRecord[]) => records.forEach(({ type, name }) => dns.set(type, name));
const set = (assignment: string, { domain }: Owned) =>
  suite.database.query(`UPDATE domains SET ${assignment} WHERE id = $1`, [domain.id]);
/** As if its time had come. */
const checkAgain = ({ caller: { projectId }, domain: { id } }: Owned) =>
  suite.queue.enqueue(domainCheckWork, [{ projectId, key: id }]);
const states = async ({ domain }: Owned): Promise<Record<string, string>> => {
  const rows = await suite.database.query<{ selector: string; state: string }>(
    `SELECT selector, state FROM dkim_keys WHERE domain_id = $1`,
    [domain.id],
  );
  return Object.fromEntries(
    rows.map(({ selector, state }) => [`${selector}._domainkey.${domain.domain}`, state]),
  );
};
const published = async ({ caller }: Owned, name: string): Promise<number> => {
  const rows = await suite.database.query(`SELECT 1 FROM outbox WHERE project_id = $1 AND event_name = $2`, [
    caller.projectId,
    name,
  ]);
  return rows.length;
};

describe('a name server', () => {
  it.each<[string, DnsBehaviour, string]>([
    ['that never answers', 'lame', 'PENDING'],
    ['whose zone is broken', 'servfail', 'PENDING'],
    ['that somebody else answers for', 'spoofed', 'PENDING'],
    ['that is too slow', { slow: 2_000 }, 'PENDING'],
    ['that is slow', { slow: 60 }, 'VERIFIED'],
    ['whose answer is too long for one datagram', 'truncated', 'VERIFIED'],
  ])('%s says %j of a record: %s', async (_, behaviour, status) => {
    const owned = await buildDomain();
    for (const { name } of owned.domain.records) dns.behave(name, behaviour);
    const checked = await check(owned);
    expect(checked.verified).toBe(status === 'VERIFIED');
    expect(checked.records.map((record) => record.status)).toEqual(owned.domain.records.map(() => status));
    if (behaviour === 'truncated')
      expect(dns.queries.some(({ way, name }) => way === 'tcp' && name === rsaOf(owned.domain).name)).toBe(
        true,
      );
  });

  it('may split a text anywhere, and may be reached through an alias', async () => {
    const owned = await buildDomain();
    const { name, value } = rsaOf(owned.domain);
    dns.set('TXT', name, [value.slice(0, 1), value.slice(1, 200), value.slice(200)]);
    expect((await check(owned)).verified).toBe(true);
    dns.set('TXT', name);
    dns.set('CNAME', name, 'dkim.host.example');
    dns.set('TXT', 'dkim.host.example', value);
    expect(rsaOf(await check(owned)).status).toBe('VERIFIED');
    dns.set('CNAME', 'dkim.host.example', name);
    dns.set('TXT', 'dkim.host.example');
    expect(rsaOf(await check(owned)).status).toBe('FAILED');
  });

  it('that answers with another key verifies nothing', async () => {
    const [owned, other] = [await buildDomain(), await buildDomain()];
    dns.set('TXT', rsaOf(owned.domain).name, rsaOf(other.domain).value);
    const checked = await check(owned);
    expect([checked.verified, checked.dkimStatus, rsaOf(checked).status]).toEqual([
      false,
      'FAILED',
      'FAILED',
    ]);
  });

  it('that stops answering changes nothing', async () => {
    const owned = await buildDomain();
    await check(owned);
    for (const { name } of owned.domain.records) dns.behave(name, 'lame');
    await set(`lost_since = now() - interval '80 hours'`, owned);
    const checked = await check(owned);
    expect([checked.verified, checked.dkimStatus, checked.spfStatus]).toEqual([true, 'VERIFIED', 'VERIFIED']);
  });
});

describe('a verified domain', () => {
  it('is checked every six hours, and is unverified after three days without its key', async () => {
    const owned = await buildDomain();
    await check(owned);
    const rows = () => suite.database.query<{ due: number; lost_since: Date | null }>(
      `SELECT 60 * round(extract(epoch FROM i.due_at - d.last_checked_at) / 60)::int AS due, d.lost_since
       FROM domains d JOIN work_items i ON i.project_id = d.project_id AND i.key = d.id::text WHERE d.id = $1`, [owned.domain.id]); // prettier-ignore
    expect((await rows())[0]).toMatchObject({ due: 6 * 3_600, lost_since: null });
    unpublish([rsaOf(owned.domain)]);
    await checkAgain(owned);
    await eventually(async () => (await rows())[0]!.lost_since, 'it is missed');
    expect((await read(owned)).verified).toBe(true);
    await set(`lost_since = now() - interval '71 hours'`, owned);
    await checkAgain(owned);
    await eventually(async () => (await rows())[0]!.due === 6 * 3_600, 'it was looked at again');
    expect(await published(owned, domainEvents.unverified.name)).toBe(0);
    await set(`lost_since = now() - interval '73 hours'`, owned);
    await checkAgain(owned);
    await eventually(async () => !(await read(owned)).verified, 'it is lost');
    expect(await published(owned, domainEvents.unverified.name)).toBe(1);
    dns.paste([rsaOf(owned.domain)]);
    await checkAgain(owned);
    await eventually(async () => (await read(owned)).verified, 'it is found again');
    expect([
      await published(owned, domainEvents.unverified.name),
      await published(owned, domainEvents.verified.name),
    ]).toEqual([1, 2]);
    expect((await rows())[0]!.lost_since).toBeNull();
  });

  it('that an operator verified stays verified whatever the DNS says', async () => {
    const { caller, domain: name } = await suite.buildProject();
    const verified = (await suite.bus.call(domains.list, caller, {})).items.find(
      ({ domain }) => domain === name,
    )!;
    expect(verified.records.filter(({ purpose }) => purpose === 'DKIM')).toEqual([]);
    const checked = await check({ caller, domain: verified });
    expect([checked.verified, checked.dkimStatus, dkimOf(checked).length]).toEqual([true, 'FAILED', 2]);
    const again = await suite.bus.call(domains.verify, caller, { domain: name, signed: true });
    expect(dkimOf(again)).toHaveLength(2);
    expect(Object.values(await states({ caller, domain: again }))).toEqual(['ACTIVE', 'ACTIVE']);
  });
});

describe('a domain that is older than the configured mail host', () => {
  it('gets its return path with its next check', async () => {
    const owned = await buildDomain();
    await set(`mail_from_domain = NULL, mail_from_status = 'NOT_CHECKED', spf_status = 'NOT_CHECKED'`, owned);
    const purposes = ({ records }: SendingDomain) => records.map(({ purpose }) => purpose);
    expect(purposes(await read(owned))).not.toContain('RETURN_PATH');
    const checked = await check(owned);
    expect(purposes(checked)).toEqual(purposes(owned.domain));
    expect([checked.mailFromStatus, checked.spfStatus]).toEqual(['VERIFIED', 'VERIFIED']);
  });
});

describe('a key rotation', () => {
  it('lets the old key sign until the record of the new one is found, and publishes it for seven more days', async () => {
    const owned = await buildDomain();
    const old = await check(owned);
    const rotate = () => suite.bus.call(domains.rotateDkim, owned.caller, { domain: owned.domain.domain });
    const rotated = await rotate();
    const fresh = dkimOf(rotated).filter(({ name }) => !dkimOf(old).some((record) => record.name === name));
    const both = (was: string, is: string) =>
      Object.fromEntries([
        ...dkimOf(old).map(({ name }) => [name, was]),
        ...fresh.map(({ name }) => [name, is]),
      ]);
    expect(await states(owned)).toEqual(both('ACTIVE', 'PENDING'));
    await expect(rotate()).rejects.toMatchObject({ kind: 'conflict' });
    expect(await check(owned)).toMatchObject({ verified: true, dkimStatus: 'VERIFIED' });
    expect(await states(owned)).toEqual(both('ACTIVE', 'PENDING'));

    dns.paste(fresh);
    expect((await check(owned)).dkimStatus).toBe('VERIFIED');
    expect(await states(owned)).toEqual(both('RETIRING', 'ACTIVE'));
    await suite.database.query(
      `UPDATE dkim_keys SET retiring_since = retiring_since - interval '169 hours' WHERE domain_id = $1`,
      [owned.domain.id],
    );
    unpublish(dkimOf(old));
    expect((await check(owned)).verified).toBe(true);
    expect(await states(owned)).toEqual(Object.fromEntries(fresh.map(({ name }) => [name, 'ACTIVE'])));
  });

  it('keeps private keys sealed', async () => {
    const { domain } = await buildDomain();
    const rows = await suite.database.query<{ sealed: string }>(
      `SELECT sealed FROM dkim_keys WHERE domain_id = $1`,
      [domain.id],
    );
    expect(rows).toHaveLength(2);
    for (const { sealed } of rows) expect(sealed).toMatch(/^e1\.[0-9a-f]{8}\.[\w-]+$/);
    // A selector may end in `e1`.
    expect(JSON.stringify(domain)).not.toMatch(/PRIVATE|e1\.[0-9a-f]{8}\./);
  });
});
