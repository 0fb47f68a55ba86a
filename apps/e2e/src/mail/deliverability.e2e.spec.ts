import { beforeAll, describe, expect, it } from '@jest/globals';
import { chooseQuietPort } from '@posthorn/dev';
import { dmarcMail, eventually, recordOf, talkSmtp } from '@posthorn/testing';
import {
  expectRefusal,
  pointerOn,
  prefixes,
  surfaces,
  withPosthorn,
  type Surface,
} from '../testing/bad-input.js';

const inboundPort = await chooseQuietPort();
const suite = withPosthorn({ INBOUND_PORT: String(inboundPort), RETURN_PATH_DOMAIN: 'bounces.example.test' });
const domain = 'example.test';
const day = new Date().toISOString().slice(0, 10);

/** With the names of `/api/v1`. */
async function read(surface: Surface, path: string) {
  const { status, text, body } = await suite.posthorn.get(`${prefixes[surface]}${path}`);
  if (status !== 200) throw new Error(text);
  return surface === 'v1'
    ? body
    : JSON.parse(
        JSON.stringify(body.data).replace(
          /"(\w+)":/g,
          (_, name: string) => `"${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}":`,
        ),
      );
}

beforeAll(async () => {
  for (const to of ['a@gmail.com', 'b@gmail.com', 'c@example.org'])
    await suite.posthorn.post('/api/v1/emails', { to, subject: 'Hello', body: '<p>Hello</p>' });
  await eventually(
    async () => (await read('v1', '/deliverability')).domains[0]?.delivered === 3,
    'deliveries are counted',
  );
});

describe.each(surfaces)('deliverability on %s', (surface) => {
  it('shows rates, DNS and advice of each domain, and destinations', async () => {
    const report = await read(surface, '/deliverability');
    expect(report.destinations).toEqual([
      { destination: 'gmail', sent: 2, delivered: 2, deferred: 0, bounced: 0, delivery_rate: 100 },
      { destination: 'other', sent: 1, delivered: 1, deferred: 0, bounced: 0, delivery_rate: 100 },
    ]);
    const rates = { sent: 3, delivered: 3, bounced: 0, complained: 0, delivery_rate: 100, bounce_rate: 0, complaint_rate: 0 };
    const nothing = { sent: 0, delivered: 0, bounced: 0, complained: 0, delivery_rate: 0, bounce_rate: 0, complaint_rate: 0 };
    expect(report.domains).toEqual([
      {
        ...rates,
        domain,
        dns: { dkim: expect.any(String), spf: expect.any(String), dmarc: expect.any(String), mail_from: expect.any(String), checked_at: null },
        status: 'GOOD',
        advice: [],
        previous: nothing,
      },
    ]);
  }); // prettier-ignore

  it('takes DMARC reports, and shows who sends in the name of a domain', async () => {
    const path = `/deliverability/dmarc?domain=${domain}`;
    const before = (await read(surface, path)).data[0];
    const id = `${surface} report`;
    const records = recordOf({ source: '198.51.100.7', count: 20, dkim: 'fail', headerFrom: domain });
    const begin = Math.floor(Date.now() / 86_400_000) * 86_400;
    const envelope = ['EHLO mx.example', 'MAIL FROM:<>', `RCPT TO:<${before.reporting_address}>`, 'DATA'];
    const mail = dmarcMail({ domain, id, begin, records });
    const dialogue = await talkSmtp(inboundPort, [
      ...envelope,
      Buffer.concat([mail, Buffer.from('\r\n.\r\n')]),
    ]);
    expect(dialogue.at(-1)).toBe('250');
    const after = (await read(surface, path)).data[0];
    expect(after).toMatchObject({
      policy: 'QUARANTINE',
      reports: before.reports + 1,
      reporters: ['mx.example'],
      counts: { messages: before.counts.messages + 20, passed: 0 },
      sources: [{ source: '198.51.100.7', signed_by: 'shop.example' }],
    });
    expect(after.record.value).toBe(`v=DMARC1; p=quarantine; rua=mailto:${before.reporting_address}`);
  });

  it.each(['/deliverability', '/deliverability/dmarc'])(
    '%s refuses a range that ends before it begins',
    async (path) => {
      const [from, to] = surface === 'v1' ? ['from', 'to'] : ['startDate', 'endDate'];
      const answer = await suite.posthorn.get(`${prefixes[surface]}${path}?${from}=${day}&${to}=2026-01-01`);
      expectRefusal(answer, surface, `${prefixes[surface]}${path}`, {
        status: 422,
        code: 'validation_error',
        errors: [[pointerOn(surface, `/${from}`), 'out_of_range']],
      } as never);
    },
  );
});
