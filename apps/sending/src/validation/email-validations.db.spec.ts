import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { emailValidations, suppressions, type Caller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { DnsServer, eventually } from '@posthorn/testing';
import { erase } from '../testing/erasing.js';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';
import { EmailValidationsRepository } from './email-validations.repository.js';

let suite: SendingSuite;
let dns: DnsServer;
beforeAll(async () => {
  dns = await DnsServer.start();
  suite = await startSendingSuite({ DNS_SERVERS: dns.address, DNS_TIMEOUT_MS: '200' });
});
beforeEach(() => dns.clear());
afterAll(async () => {
  await suite.stop();
  await dns.stop();
});

let count = 0;
const uniqueDomain = () => `validated-${(count += 1)}.example`;
const waits = { timeoutMs: 8_000 };
const validate = (caller: Caller, emails: string[]) =>
  suite.bus.call(emailValidations.create, caller, { emails }, waits);

/** A domain with a host for its mail. */
function buildDomain(name = uniqueDomain()): string {
  dns.set('MX', name, [`10 mx.${name}`]);
  return name;
}

const lookUps = (domain: string) =>
  dns.queries.filter(({ name, type }) => name === domain && type === 'MX').length;

describe('a validation', () => {
  it('says of each address what was found, in the order of the request, and is kept', async () => {
    const { caller } = await suite.buildProject();
    const good = buildDomain();
    const [nullMx, none, byAddress] = [uniqueDomain(), uniqueDomain(), uniqueDomain()];
    dns.set('MX', nullMx, ['0 .']);
    dns.set('A', byAddress, ['192.0.2.1']);
    for (const name of ['gmial.com', 'gmail.com', 'mailinator.com']) buildDomain(name);
    await suite.bus.call(suppressions.put, caller, { email: `gone@${good}` });
    const made = await validate(caller, [
      ` Ada@${good.toUpperCase()} `,
      'ada',
      'ada@localhost',
      'Ada <ada@example.org>',
      `ada@${nullMx}`,
      `ada@${none}`,
      `ada@${byAddress}`,
      `gone@${good}`,
      'ada@gmial.com',
      'ada@gmail.com',
      'ada@mailinator.com',
      `info@${good}`,
    ]);
    expect(made.results.map(({ email, verdict, reason }) => [email, verdict, reason])).toEqual([
      [`ada@${good}`, 'VALID', null],
      ['ada', 'INVALID', 'syntax'],
      ['ada@localhost', 'INVALID', 'syntax'],
      ['Ada <ada@example.org>', 'INVALID', 'syntax'],
      [`ada@${nullMx}`, 'INVALID', 'null_mx'],
      [`ada@${none}`, 'INVALID', 'no_mail_host'],
      [`ada@${byAddress}`, 'VALID', null],
      [`gone@${good}`, 'RISKY', 'suppressed'],
      ['ada@gmial.com', 'RISKY', 'typo'],
      ['ada@gmail.com', 'VALID', null],
      ['ada@mailinator.com', 'RISKY', 'disposable'],
      [`info@${good}`, 'RISKY', 'role'],
    ]);
    expect(made).toMatchObject({ total: 12, counts: { VALID: 3, RISKY: 4, INVALID: 5, UNKNOWN: 0 } });
    expect(made.results[8]!.suggestion).toBe('ada@gmail.com');
    expect(made.results[9]!.checks).toEqual({
      syntax: true,
      mx: true,
      role: false,
      disposable: false,
      free: true,
      suppressed: false,
    });
    expect(made.results[1]!.checks).toMatchObject({ syntax: false, mx: null, suppressed: null });
    expect(await suite.bus.call(emailValidations.get, caller, { id: made.id })).toEqual(made);
  });

  it('looks a domain up once for all its addresses, and not again for a while', async () => {
    const { caller } = await suite.buildProject();
    const domain = buildDomain();
    const emails = Array.from({ length: 50 }, (_, index) => `r${index}@${domain}`);
    await Promise.all([validate(caller, emails), validate(caller, emails)]);
    await validate(caller, emails.slice(0, 1));
    expect(lookUps(domain)).toBe(1);
  });

  it('is UNKNOWN where no name server answers, in time, and asks again the next time', async () => {
    const { caller } = await suite.buildProject();
    const silent = Array.from({ length: 50 }, () => uniqueDomain());
    for (const domain of silent) dns.behave(domain, 'lame');
    const began = performance.now();
    const made = await validate(
      caller,
      silent.map((domain) => `ada@${domain}`),
    );
    expect(performance.now() - began).toBeLessThan(7_500);
    expect(made.counts).toEqual({ VALID: 0, RISKY: 0, INVALID: 0, UNKNOWN: 50 });
    expect(made.results[0]).toMatchObject({ verdict: 'UNKNOWN', reason: 'no_answer', checks: { mx: null } });
    dns.clear();
    buildDomain(silent[0]);
    const [again] = (await validate(caller, [`ada@${silent[0]}`])).results;
    expect(again!.verdict).toBe('VALID');
  }, 20_000);

  it('is for 1 to 50 addresses, and of its project only', async () => {
    const [{ caller }, outsider] = [await suite.buildProject(), await suite.buildProject()];
    for (const emails of [[], Array.from({ length: 51 }, () => 'a'), [''], ['a'.repeat(321)]])
      await expect(validate(caller, emails)).rejects.toMatchObject({ kind: 'invalid' });
    const { id } = await validate(caller, ['ada']);
    const second = await validate(caller, ['ada']);
    for (const unknown of [id, newId()])
      await expect(
        suite.bus.call(emailValidations.get, outsider.caller, { id: unknown }),
      ).rejects.toMatchObject({
        kind: 'not_found',
      });
    const page = await suite.bus.call(emailValidations.list, caller, { limit: 1 });
    expect(page).toMatchObject({ items: [{ id: second.id, total: 1 }], hasMore: true });
    expect((await suite.bus.call(emailValidations.list, outsider.caller, {})).items).toEqual([]);
  });

  it('is kept for thirty days, with its results', async () => {
    const { caller, projectId } = await suite.buildProject();
    const [old, young] = [await validate(caller, ['ada', 'grace']), await validate(caller, ['ada'])];
    const age = (id: string, days: number) =>
      suite.database.query(
        `UPDATE email_validations SET created_at = now() - make_interval(days => $2) WHERE id = $1`,
        [id, days],
      );
    await age(old.id, 31);
    await age(young.id, 29);
    await new EmailValidationsRepository(suite.database).deleteOld(100);
    const left = await suite.database.query(
      `SELECT validation_id AS id FROM email_validation_results WHERE project_id = $1`,
      [projectId],
    );
    expect(left).toEqual([{ id: young.id }]);
    await eventually(async () => {
      const { items } = await suite.bus.call(emailValidations.list, caller, {});
      return items.length === 1;
    }, 'the old one is gone');
  });

  it('names nobody who was erased', async () => {
    const { caller, projectId } = await suite.buildProject();
    buildDomain('gmial.com');
    await validate(caller, [
      'erased@gmail.com',
      'erased@gmial.com',
      'Me <erased@gmail.com>',
      'kept@gmail.com',
    ]);
    await erase(suite, caller, 'erased@gmail.com');
    const rows = await suite.database.query(
      `SELECT email, suggestion FROM email_validation_results WHERE project_id = $1`,
      [projectId],
    );
    expect(rows).toHaveLength(4);
    expect(JSON.stringify(rows)).not.toContain('erased@gmail.com');
    expect(JSON.stringify(rows)).toContain('kept@gmail.com');
  });
});
