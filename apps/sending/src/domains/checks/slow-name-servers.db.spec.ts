import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { domains, type Caller, type SendingDomain } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import { DnsServer, eventually, type DnsBehaviour } from '@posthorn/testing';
import { startSendingSuite, type SendingSuite } from '../../testing/sending-suite.js';
import { domainCheckWork } from '../domains.repository.js';

let suite: SendingSuite;
let dns: DnsServer;
beforeAll(async () => {
  dns = await DnsServer.start();
  suite = await startSendingSuite({ DNS_SERVERS: dns.address, MAIL_HOST: 'mail.posthorn.example' });
});
beforeEach(() => {
  dns.clear();
  dns.queries.length = 0;
});
afterAll(async () => {
  await suite.stop();
  await dns.stop();
});

let count = 0;
const add = (caller: Caller): Promise<SendingDomain> =>
  suite.bus.call(domains.add, caller, { domain: `slow-${(count += 1)}.example` });
const addMany = (caller: Caller, many: number) =>
  Promise.all(Array.from({ length: many }, () => add(caller)));
const behave = ({ records }: SendingDomain, behaviour: DnsBehaviour) =>
  records.forEach(({ name }) => dns.behave(name, behaviour));
const check = (caller: Caller, { id }: SendingDomain) => suite.bus.call(domains.check, caller, { id });
const enqueue = ({ projectId }: Caller, many: readonly SendingDomain[]) =>
  suite.queue.enqueue(
    domainCheckWork,
    many.map(({ id }) => ({ projectId, key: id })),
  );
/** Those of the domains whose records were looked up, before those of another one. */
function askedFor(many: readonly SendingDomain[], other?: SendingDomain): number {
  const end = dns.queries.findIndex(({ name }) => other && name.endsWith(other.domain));
  const queries = end === -1 ? dns.queries : dns.queries.slice(0, end);
  return many.filter(({ domain }) => queries.some(({ name }) => name.endsWith(domain))).length;
}
const build = async () => (await suite.buildProject()).caller;

describe('a name server that answers just in time', () => {
  it('holds up a check for its time limit, however long its chain of aliases, and says nothing', async () => {
    const caller = await build();
    const domain = await add(caller);
    const names = domain.records.map(({ name }) => name);
    names.forEach((name) => dns.set('CNAME', name, name));
    behave(domain, { slow: 1_300 });
    const began = performance.now();
    const checked = await check(caller, domain);
    expect(performance.now() - began).toBeLessThan(19_000);
    expect(checked.records.map(({ status }) => status)).toEqual(names.map(() => 'PENDING'));
  });

  it('holds up no request for longer than its caller waits', async () => {
    const caller = await build();
    const domain = await add(caller);
    behave(domain, 'lame');
    const bus = new Bus(suite.connection, new DatabaseClock(suite.database));
    const checkInTime = () => bus.call(domains.check, caller, { id: domain.id }, { timeoutMs: 3_000 });
    // A busy machine may need more than the second that is left for the commit and the reply.
    const checked = await checkInTime().catch(checkInTime).catch(checkInTime);
    expect(checked.records.map(({ status }) => status)).toEqual(domain.records.map(() => 'PENDING'));
  });

  it('holds up one due check of its project at a time, and none of others', async () => {
    const [slow, quick] = [await build(), await build()];
    const many = await addMany(slow, 4);
    const own = await add(quick);
    dns.paste(own.records);
    for (const domain of many) behave(domain, 'lame');
    await enqueue(slow, many);
    await eventually(async () => askedFor(many) > 0, 'a slow check has begun');
    await enqueue(quick, [own]);
    const verified = async () => (await suite.bus.call(domains.get, quick, { id: own.id })).verified;
    await eventually(verified, 'the other one is checked');
    expect(askedFor(many, own)).toBe(1);
  });

  it('holds up two requested checks of its project at a time, and none of others', async () => {
    const [slow, quick] = [await build(), await build()];
    const many = await addMany(slow, 4);
    const own = await add(quick);
    dns.paste(own.records);
    for (const domain of many) behave(domain, 'lame');
    const checks = many.map((domain) => check(slow, domain));
    await eventually(async () => askedFor(many) > 1, 'slow checks have begun');
    expect((await check(quick, own)).verified).toBe(true);
    expect(askedFor(many, own)).toBe(2);
    expect(await Promise.all(checks)).toHaveLength(4);
  });
});
