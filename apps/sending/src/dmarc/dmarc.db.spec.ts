import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dmarc, type Caller, type DomainDmarc } from '@posthorn/contracts';
import { chooseQuietPort } from '@posthorn/dev';
import { dmarcMail, dmarcMailOf, recordOf, talkSmtp } from '@posthorn/testing';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';
import { DmarcRepository } from './dmarc.repository.js';

let suite: SendingSuite;
let port: number;
beforeAll(async () => {
  port = await chooseQuietPort();
  suite = await startSendingSuite({
    DELIVERY_PAUSED: 'true',
    INBOUND_PORT: String(port),
    RETURN_PATH_DOMAIN: 'bounces.posthorn.example',
  });
});
afterAll(() => suite.stop());

async function post(to: string, raw: Buffer): Promise<string> {
  const steps = ['EHLO mx.example', 'MAIL FROM:<noreply@mx.example>', `RCPT TO:<${to}>`, 'DATA'];
  return (await talkSmtp(port, [...steps, Buffer.concat([raw, Buffer.from('\r\n.\r\n')])])).at(-1)!;
}

const window = { from: new Date('2025-11-01T00:00:00Z'), to: new Date('2025-11-30T23:59:59Z') };
const shown = async (caller: Caller): Promise<DomainDmarc> =>
  (await suite.bus.call(dmarc.overview, caller, window)).data[0]!;
const counts = (part: object) => ({
  messages: 0,
  passed: 0,
  dkimAligned: 0,
  spfAligned: 0,
  quarantined: 0,
  rejected: 0,
  ...part,
});

describe('a DMARC report', () => {
  it('to the reporting address of a project is counted once', async () => {
    const { caller, domain } = await suite.buildProject();
    const before = await shown(caller);
    expect(before).toMatchObject({ domain, policy: null, reports: 0, counts: counts({}), sources: [] });
    const address = before.reportingAddress!;
    expect(before.record).toEqual({
      name: `_dmarc.${domain}`,
      value: `v=DMARC1; p=none; rua=mailto:${address}`,
    });
    const foreign = recordOf({ source: '198.51.100.7', count: 4, dkim: 'fail', disposition: 'reject', headerFrom: domain });
    const records = recordOf({ count: 90, headerFrom: domain }) + foreign;
    for (const id of ['one', 'one', 'two'])
      expect(await post(address, dmarcMail({ domain, id, records }))).toBe('250');
    expect(await shown(caller)).toEqual({
      ...before,
      policy: 'QUARANTINE',
      record: { ...before.record, value: `v=DMARC1; p=quarantine; rua=mailto:${address}` },
      lastReportAt: expect.any(Date),
      reports: 2,
      reporters: ['mx.example'],
      counts: counts({ messages: 188, passed: 180, dkimAligned: 180, rejected: 8 }),
      sources: [
        { source: '192.0.2.1', signedBy: 'shop.example', returnPath: 'bounces.shop.example', counts: counts({ messages: 180, passed: 180, dkimAligned: 180 }) },
        { source: '198.51.100.7', signedBy: 'shop.example', returnPath: 'bounces.shop.example', counts: counts({ messages: 8, rejected: 8 }) },
      ],
    });
  }); // prettier-ignore

  it('keeps its largest sources, and adds up the others', async () => {
    const { caller, domain } = await suite.buildProject();
    const { reportingAddress } = await shown(caller);
    const records = Array.from({ length: 300 }, (_, index) =>
      recordOf({ source: `10.0.${index >> 8}.${index & 255}`, count: 1_000 - index, headerFrom: domain }),
    );
    expect(await post(reportingAddress!, dmarcMail({ domain, records: records.join('') }))).toBe('250');
    const { sources, counts: all } = await shown(caller);
    expect(all.messages).toBe((300 * (1_000 + 701)) / 2);
    expect(sources).toHaveLength(100);
    expect(sources[0]).toMatchObject({ source: 'other', counts: { messages: (100 * (800 + 701)) / 2 } });
    expect(sources[1]).toMatchObject({ source: '10.0.0.0', counts: { messages: 1_000 } });
  });

  it('about the domain of the organisation counts for what is sent from the domain below it', async () => {
    const { caller, domain } = await suite.buildProject();
    const { reportingAddress } = await shown(caller);
    const records =
      recordOf({ count: 3, headerFrom: domain }) + recordOf({ count: 5, headerFrom: 'else.example' });
    const organisation = domain.slice(domain.indexOf('.') + 1);
    const answer = await post(reportingAddress!, dmarcMail({ domain: organisation, records }));
    if (domain.split('.').length < 3) return expect(answer).toBe('554');
    expect(answer).toBe('250');
    expect((await shown(caller)).counts.messages).toBe(3);
  });

  it.each([
    ['about a foreign domain', dmarcMail({ domain: 'foreign.example' })],
    ['that is a bomb', dmarcMailOf(gzipSync(Buffer.alloc(64 * 1024 * 1024)))],
    ['without a file', Buffer.from('Subject: x\r\n\r\nx')],
  ])('%s is refused, and nothing is stored', async (_, mail) => {
    const { caller } = await suite.buildProject();
    const { reportingAddress } = await shown(caller);
    expect(await post(reportingAddress!, mail)).toBe('554');
    const stored = await suite.database.query(`SELECT 1 FROM dmarc_reports WHERE project_id = $1`, [
      caller.projectId,
    ]);
    expect(stored).toEqual([]);
  });

  it('to a forged address is refused before its content', async () => {
    const { caller } = await suite.buildProject();
    const { reportingAddress } = await shown(caller);
    const forged = reportingAddress!.replace(/\.[0-9a-f]{20}@/, `.${'0'.repeat(20)}@`);
    expect(await talkSmtp(port, ['EHLO mx.example', 'MAIL FROM:<>', `RCPT TO:<${forged}>`])).toEqual([
      '220',
      '250',
      '250',
      '550',
    ]);
  });

  it('is not kept longer than 400 days', async () => {
    const { caller, domain } = await suite.buildProject();
    const { reportingAddress } = await shown(caller);
    const begin = Math.floor(Date.now() / 1_000) - 402 * 86_400;
    expect(await post(reportingAddress!, dmarcMail({ domain, begin }))).toBe('250');
    expect(await new DmarcRepository(suite.database).deleteOld(1_000)).toBe(false);
    const left = await suite.database.query(
      `SELECT 1 FROM dmarc_sources WHERE project_id = $1 UNION ALL SELECT 1 FROM dmarc_reports WHERE project_id = $1`,
      [caller.projectId],
    );
    expect(left).toEqual([]);
  });
});
