import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { domains, secrets, type Caller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { readConfig, Secrets } from '@posthorn/platform';
import { DnsServer, eventually, testSecret } from '@posthorn/testing';
import { SendingConfig } from '../../config.js';
import { startSendingSuite, type SendingSuite } from '../../testing/sending-suite.js';
import { DkimKeysRepository } from '../dkim/dkim-keys.repository.js';
import { DkimKeys } from '../dkim/dkim-keys.js';
import { DomainsRepository } from '../domains.repository.js';
import { SenderIdentities } from './sender-identities.js';

const newKey = 'another-secret-that-only-this-spec-knows-0123456789';

let suite: SendingSuite;
let dns: DnsServer;
beforeAll(async () => {
  dns = await DnsServer.start();
  suite = await startSendingSuite({
    POSTHORN_SECRET_KEY: `${newKey}, ${testSecret}`,
    DNS_SERVERS: dns.address,
    MAIL_HOST: 'mail.posthorn.example',
    DEV_VERIFIED_DOMAINS: 'dev.test',
  });
});
afterAll(async () => {
  await suite.stop();
  await dns.stop();
});

/** As one process sees them, under these keys. */
function identities(...keys: string[]): SenderIdentities {
  const rows = new DkimKeysRepository(suite.database);
  const config = readConfig(SendingConfig, suite.environment);
  return new SenderIdentities(
    new DomainsRepository(suite.database, suite.queue),
    rows,
    new DkimKeys(new Secrets(keys), rows),
    config,
  );
}

const add = (caller: Caller, domain: string) => suite.bus.call(domains.add, caller, { domain });

describe('the identity of a sender', () => {
  it('is that of the nearest verified domain, with the keys that sign', async () => {
    const { caller, projectId } = await suite.buildProject();
    const parent = await add(caller, `p-${newId()}.dev.test`);
    const child = await add(caller, `mail.${parent.domain}`);
    const known = identities(newKey);
    expect(await known.of(projectId, parent.domain)).toMatchObject({
      domainId: parent.id,
      domain: parent.domain,
      verified: true,
      category: null,
    });
    expect((await known.of(projectId, `x.mail.${parent.domain}`))?.domainId).toBe(child.id);
    const { keys } = (await known.of(projectId, `other.${parent.domain}`))!;
    expect(keys.map(({ domain, algorithm }) => [domain, algorithm]).sort()).toEqual([[parent.domain, 'ed25519'], [parent.domain, 'rsa']]); // prettier-ignore
    for (const { privateKey } of keys) expect(privateKey).toMatch(/^-----BEGIN PRIVATE KEY-----/);
    expect(await known.of(projectId, 'stranger.example')).toBeNull();
    expect(await known.of(newId(), parent.domain)).toBeNull();
    expect(await known.of(projectId, 'sandbox.test')).toMatchObject({
      domainId: null,
      verified: true,
      keys: [],
    });
  });

  it('has a return path and a tracking host once their records are found, and is unverified once it is removed', async () => {
    const { caller, projectId } = await suite.buildProject();
    const { id, domain, records } = await add(caller, `r${newId().slice(-8)}.example`);
    expect(await identities(newKey).of(projectId, domain)).toMatchObject({
      verified: false,
      keys: [],
      returnPathDomain: null,
    });
    dns.paste(records);
    await suite.bus.call(domains.update, caller, { id, trackingHost: `t.${domain}` });
    await suite.bus.call(domains.check, caller, { id });
    const known = identities(newKey);
    expect(await known.of(projectId, domain)).toMatchObject({
      verified: true,
      returnPathDomain: `bounces.${domain}`,
      trackingHost: null,
    });
    dns.set('CNAME', `t.${domain}`, 'localhost');
    await suite.bus.call(domains.check, caller, { id });
    await eventually(
      async () => (await known.of(projectId, domain))?.trackingHost === `t.${domain}`,
      'the record counts',
    );
    await suite.database.query(`DELETE FROM domains WHERE id = $1`, [id]);
    await eventually(
      async () => (await known.of(projectId, domain)) === null,
      'the domain is known to be gone',
    );
  });

  it('is read once for concurrent requests', async () => {
    const { caller, projectId } = await suite.buildProject();
    const { domain } = await add(caller, `o-${newId()}.dev.test`);
    const known = identities(newKey);
    const [first, ...others] = await Promise.all(
      Array.from({ length: 20 }, () => known.of(projectId, domain)),
    );
    for (const other of others) expect(other).toBe(first);
  });
});

it('a change of the secret key reseals the keys of domains', async () => {
  const { caller, projectId, domain } = await suite.buildProject();
  await suite.bus.call(domains.verify, caller, { domain, signed: true });
  const [row] = await suite.database.query<{ id: string; sealed: string }>(
    `SELECT id, sealed FROM dkim_keys WHERE project_id = $1 AND algorithm = 'rsa'`,
    [projectId],
  );
  const location = { table: 'dkim_keys', projectId, id: row!.id };
  const old = new Secrets([testSecret]);
  const privateKey = new Secrets([newKey]).open(row!.sealed, location);
  await suite.database.query(`UPDATE dkim_keys SET sealed = $2 WHERE id = $1`, [
    row!.id,
    old.seal(privateKey, location),
  ]);
  const operator: Caller = { projectId, actor: { kind: 'OPERATOR', id: 'suite' } };
  expect(await suite.bus.call(secrets.rotateSending, operator, {})).toMatchObject({
    rotated: 1,
    unreadable: 0,
    left: 0,
  });
  const { keys } = (await identities(newKey).of(projectId, domain))!;
  expect(keys.map((key) => key.privateKey)).toContain(privateKey);
});
