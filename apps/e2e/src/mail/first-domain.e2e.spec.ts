import { Resolver } from 'node:dns/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { DnsServer, eventually } from '@posthorn/testing';
import { authenticate, type DNSResolver } from 'mailauth';
import PostalMime from 'postal-mime';
import { ServerClient } from 'postmark';
import { withPosthorn } from '../testing/bad-input.js';
import { inboxMessages, rawMessage } from '../testing/inbox.js';

const mailHost = 'mail.posthorn.example';
const dns = await DnsServer.start();
afterAll(() => dns.stop());
dns.set('A', mailHost, '192.0.2.1');

const suite = withPosthorn({ DNS_SERVERS: dns.address, MAIL_HOST: mailHost });
const request: DNSResolver = async (name, type) => {
  const resolver = new Resolver();
  resolver.setServers([dns.address]);
  return (await resolver.resolve(name, type)) as Awaited<ReturnType<DNSResolver>>;
};

const mjml = `<mjml><mj-body><mj-section><mj-column>
  <mj-text>Dear {{ name ?? "reader" }}, your order {{ order }} is on its way.</mj-text>
  <mj-button href="https://shop.example/orders/{{ order }}">Look at it</mj-button>
  <mj-text>{{> footer}} <a href="{{ unsubscribe_url }}">No more of this</a></mj-text>
</mj-column></mj-section></mj-body></mjml>`;

async function arrived(to: string) {
  const message = await eventually(
    async () => (await inboxMessages(suite.posthorn)).find(({ envelope }) => envelope.to.includes(to)),
    `a message to ${to}`,
    30_000,
  );
  return { envelope: message.envelope, raw: await rawMessage(suite.posthorn, message.id) };
}

/** Judges a message like the mail server of a reader. */
async function judged({ envelope, raw }: { envelope: { from: string }; raw: string }) {
  const { spf, dkim, dmarc } = await authenticate(Buffer.from(raw), {
    ip: '192.0.2.1',
    helo: mailHost,
    mta: 'mx.example',
    sender: envelope.from,
    resolver: request,
  });
  return {
    spf: spf && spf.status.result,
    dkim: dkim.results.map(({ status }) => status.result),
    dmarc: dmarc && dmarc.status.result,
  };
}

const authentic = { spf: 'pass', dkim: ['pass', 'pass'], dmarc: 'pass' };

describe('a first domain', () => {
  it('is added and verified through DNS; mail from every surface passes SPF, both DKIM signatures and DMARC', async () => {
    const { posthorn } = suite;
    const { body: added } = await posthorn.post('/api/v1/domains', { domain: 'shop.example' });
    dns.paste(added.records);
    const { body: verified } = await posthorn.post(`/api/v1/domains/${added.id}/verify`, undefined);
    expect([verified.verified, verified.dmarc_status]).toEqual([true, 'VERIFIED']);

    const texts = {
      from: 'Shop <hello@shop.example>',
      subject: 'Grüße',
      body: '<p>Schöne Grüße aus dem <a href="https://shop.example/">Laden</a></p>',
    };
    expect((await posthorn.post('/api/v1/emails', { ...texts, to: 'v1@example.com' })).status).toBe(202);
    expect((await posthorn.post('/api/emails', { ...texts, to: 'legacy@example.com' })).status).toBe(200);
    const client = new ServerClient(posthorn.dev.secretKey, {
      requestHost: `${new URL(posthorn.dev.baseUrl).host}/api/compat/postmark`,
      useHttps: false,
    });
    await client.sendEmail({
      From: texts.from,
      To: 'compat@example.com',
      Subject: texts.subject,
      HtmlBody: texts.body,
    });
    for (const to of ['v1@example.com', 'legacy@example.com', 'compat@example.com']) {
      const message = await arrived(to);
      expect([to, await judged(message)]).toEqual([to, authentic]);
      expect(message.envelope.from).toMatch(/^bounces\+.*@bounces\.shop\.example$/);
    }
  });

  it('sends a designed, scheduled mail with a file: preview, lint, send, open, click, opt out', async () => {
    const { posthorn } = suite;
    expect(
      (await posthorn.post('/api/v1/snippets', { name: 'footer', body: 'Shop, 1 Street.' })).status,
    ).toBe(201);
    const template = await posthorn.post('/api/v1/templates', {
      name: 'Shipped',
      subject: 'Order {{ order }} is on its way',
      body: mjml,
      format: 'mjml',
      from: 'hello@shop.example',
      from_name: 'Shop',
    });
    expect([template.status, template.body.version]).toEqual([201, 1]);
    const data = { order: 'A-17' };
    const { body: preview } = await posthorn.post(`/api/v1/templates/${template.body.id}/preview`, { data });
    expect(preview).toMatchObject({ subject: 'Order A-17 is on its way', findings: [] });
    expect(preview.text).toContain('Dear reader, your order A-17 is on its way.');

    const scheduled_at = new Date(Date.now() + 3_000).toISOString();
    const attachments = [{ filename: 'invoice.txt', content: 'SGVsbG8=', content_type: 'text/plain' }];
    const { body: receipt } = await posthorn.post('/api/v1/emails', {
      to: 'ada@example.com',
      template: template.body.id,
      data,
      scheduled_at,
      attachments,
    });
    expect(receipt).toMatchObject({ status: 'PENDING', from: 'hello@shop.example' });
    const message = await arrived('ada@example.com');
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(scheduled_at) - 1_000);
    expect(await judged(message)).toEqual(authentic);
    const parsed = await PostalMime.parse(message.raw);
    expect(parsed).toMatchObject({
      subject: 'Order A-17 is on its way',
      attachments: [{ filename: 'invoice.txt' }],
    });

    const [link] = /http:\/\/localhost:\d+\/t\/c\/[\w-]+/.exec(parsed.html!)!;
    const [pixel] = /http:\/\/localhost:\d+\/t\/o\/[\w-]+\.gif/.exec(parsed.html!)!;
    const reader = {
      'user-agent':
        'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    };
    const here = (url: string) => url.replace(/^http:\/\/localhost:\d+/, posthorn.dev.baseUrl);
    await eventually(async () => {
      const [picture, led] = await Promise.all(
        [pixel, link].map((url) => fetch(here(url), { headers: reader, redirect: 'manual' })),
      );
      expect([picture!.status, led!.status, led!.headers.get('location')]).toEqual([
        200,
        302,
        'https://shop.example/orders/A-17',
      ]);
      const { body } = await posthorn.get(`/api/v1/emails/${receipt.id}`);
      return body.opens > 0 && body.clicks > 0;
    }, 'both are counted');

    const [, wayOut] = /List-Unsubscribe: <([^>]+)>/.exec(message.raw.replace(/\r\n /g, ''))!;
    const out = await fetch(here(wayOut!), {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
    });
    expect(out.status).toBe(200);
    const { body: again } = await posthorn.post('/api/v1/emails', {
      to: 'ada@example.com',
      template: template.body.id,
      data,
    });
    await eventually(
      async () => (await posthorn.get(`/api/v1/emails/${again.id}`)).body.failure_kind === 'unsubscribed',
      'no more mail',
    );
  });
});
