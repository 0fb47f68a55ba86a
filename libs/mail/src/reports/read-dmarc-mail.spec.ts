import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { bounds, dmarcMail, dmarcMailOf, dmarcXml, leastProcessorTimeOf, recordOf } from '@posthorn/testing';
import { ZipFile } from 'yazl';
import { buildDmarcAddress, readDmarcAddress } from '../tokens/dmarc-address.js';
import { readDmarcMail } from './read-dmarc-mail.js';
import { worstMails } from './testing/worst-mails.js';

async function zipped(...files: [name: string, content: string][]): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [name, content] of files) archive.addBuffer(Buffer.from(content), name);
  archive.end();
  return buffer(archive.outputStream);
}
const asZip = { type: 'application/zip', name: 'mx.example!shop.example!1!2.zip' };

const report = {
  reporter: 'mx.example',
  reportId: '1764374400.1',
  domain: 'shop.example',
  policy: 'quarantine',
  from: new Date('2025-11-28T00:00:00Z'),
  to: new Date('2025-11-28T23:59:59Z'),
  rows: [
    {
      source: '192.0.2.1',
      messages: 1,
      disposition: 'none',
      dkimAligned: true,
      spfAligned: false,
      headerFrom: 'shop.example',
      dkimDomain: 'shop.example',
      spfDomain: 'bounces.shop.example',
    },
  ],
};

describe('a DMARC report', () => {
  it('is read from gzip, zip and plain XML', async () => {
    const xml = dmarcXml();
    expect(await readDmarcMail(dmarcMail())).toEqual(report);
    expect(await readDmarcMail(dmarcMailOf(await zipped(['a.xml', xml]), asZip))).toEqual(report);
    const plain = { type: 'text/xml', name: 'report.xml' };
    expect(await readDmarcMail(dmarcMailOf(Buffer.from(xml), plain))).toEqual(report);
    expect(
      (await readDmarcMail(dmarcMail({ records: recordOf() + recordOf({ source: '2001:db8::1' }) }))).rows,
    ).toHaveLength(2);
  });

  const bomb = Buffer.alloc(64 * 1024 * 1024, ' ').toString();
  const entities = dmarcXml().replace('<feedback>', '<!DOCTYPE x [<!ENTITY a "aaaa">]><feedback>');
  const deep = '<a>'.repeat(100_000);
  it.each<[string, () => Buffer | Promise<Buffer>, RegExp]>([
    ['without a file', () => Buffer.from('Subject: x\r\n\r\nx'), /not one report/],
    ['that is a gzip bomb', () => dmarcMailOf(gzipSync(bomb)), /too large when unpacked/],
    ['that is a zip bomb', async () => dmarcMailOf(await zipped(['a.xml', bomb]), asZip), /too large when unpacked/],
    ['with two entries', async () => dmarcMailOf(await zipped(['a.xml', 'x'], ['b.xml', 'y']), asZip), /one entry/],
    ['that is cut off', () => dmarcMailOf(gzipSync(dmarcXml()).subarray(0, 100)), /damaged/],
    ['with entities', () => dmarcMailOf(gzipSync(entities)), /entities/],
    ['that is no XML', () => dmarcMailOf(gzipSync('{"feedback":1}')), /missing/],
    ['with deep tags', () => dmarcMailOf(gzipSync(deep)), /too deep/],
    ['with an open tag', () => dmarcMailOf(gzipSync(dmarcXml().replace('</feedback>', ''))), /not closed/],
    ['of another schema', () => dmarcMailOf(gzipSync('<feedback><a/></feedback>')), /missing/],
    ['with a count of words', () => dmarcMail({ records: recordOf({ count: Number.NaN }) }), /no count/],
    ['from no address', () => dmarcMail({ records: recordOf({ source: 'mx.example' }) }), /no address/],
    ['with an unknown disposition', () => dmarcMail({ records: recordOf({ disposition: 'burn' }) }), /no policy/],
  ])('%s is refused', async (_, mail, reason) => {
    await expect(readDmarcMail(await mail())).rejects.toThrow(reason);
  }); // prettier-ignore

  it.each(Object.entries(worstMails))('that is 1 MiB of %s is refused within its bounds', async (_, raw) => {
    const { cpuMs } = await leastProcessorTimeOf(() => readDmarcMail(raw).catch(() => undefined));
    expect(cpuMs).toBeLessThan(2 * bounds.cpuMs);
  });
});

describe('an address for DMARC reports', () => {
  const projectId = '01a227e6-0b96-7451-b063-716247c42f0f';
  const address = buildDmarcAddress(projectId, { domain: 'bounces.shop.example', secret: 'a' });

  it('names its project, with any of the secrets', () => {
    expect(address.split('@')[0]!.length).toBeLessThanOrEqual(64);
    expect(readDmarcAddress(address.toUpperCase(), ['b', 'a'])).toBe(projectId);
  });

  it('cannot be guessed', () => {
    expect(readDmarcAddress(address, ['b'])).toBeNull();
    expect(readDmarcAddress(address.replace('01a2', '01a3'), ['a'])).toBeNull();
    expect(readDmarcAddress('dmarc@bounces.shop.example', ['a'])).toBeNull();
  });
});
