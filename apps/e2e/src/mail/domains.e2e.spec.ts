import { afterAll, describe, expect, it } from '@jest/globals';
import { DnsServer, eventually } from '@posthorn/testing';
import { prefixes, randomId, surfaces, withPosthorn } from '../testing/bad-input.js';

const dns = await DnsServer.start();
afterAll(() => dns.stop());

const suite = withPosthorn({
  DNS_SERVERS: dns.address,
  MAIL_HOST: 'mail.posthorn.example',
  PUBLIC_URL: 'https://mail.posthorn.example',
});

describe('a domain', () => {
  it('is added, verified through its DNS records, sent from, and not available to others', async () => {
    const { posthorn } = suite;
    const added = await posthorn.post('/api/v1/domains', { domain: 'shop.example', region: 'us-east-1' });
    expect([added.status, added.body.verified, added.body.dkim_status]).toEqual([201, false, 'NOT_CHECKED']);
    const send = () =>
      posthorn.post('/api/v1/emails', {
        from: 'hello@shop.example',
        to: 'ada@example.com',
        subject: 'Hello',
        body: '<p>Hi</p>',
      });
    expect((await send()).body.errors).toEqual([
      expect.objectContaining({ pointer: '/from', code: 'not_verified' }),
    ]);

    const one = `/api/v1/domains/${added.body.id}`;
    const missing = await posthorn.post(`${one}/verify`, undefined);
    expect([missing.status, missing.body.verified, missing.body.dkim_status]).toEqual([200, false, 'FAILED']);
    const reader = await suite.operator('keys', 'create', '--name', 'reader', '--scopes', 'domains:read');
    const bearer = { authorization: `Bearer ${reader['token']}` };
    expect((await posthorn.request('GET', `${one}/verify`, undefined, bearer)).body).toEqual(missing.body);
    const legacy = await posthorn.request('GET', `/api/domains/${added.body.id}/verify`, undefined, bearer);
    expect(legacy.body).toMatchObject({
      success: true,
      data: { dkimStatus: 'FAILED', lastCheckedAt: missing.body.last_checked_at },
    });
    expect((await posthorn.post(`${one}/verify`, undefined, bearer)).body.code).toBe('scope_missing');
    dns.paste(added.body.records);
    const verified = await posthorn.post(`${one}/verify`, undefined);
    expect([
      verified.body.verified,
      verified.body.dkim_status,
      verified.body.spf_status,
      verified.body.mail_from_status,
    ]).toEqual([
      true,
      'VERIFIED',
      'VERIFIED',
      'VERIFIED', // prettier-ignore
    ]);
    expect((await send()).status).toBe(202);

    const another = await suite.operator('projects', 'create', '--name', 'Another');
    const { token } = await suite.operator(
      'keys',
      'create',
      '--name',
      'another',
      '--project',
      another['id']!,
    );
    const claimed = await posthorn.post(
      '/api/domains',
      { domain: 'mail.shop.example' },
      { authorization: `Bearer ${token}` },
    );
    expect([claimed.status, claimed.body.error.code]).toEqual([409, 'CONFLICT']);
  });

  it('is not added to a project other than that of the credential', async () => {
    const another = await suite.operator('projects', 'create', '--name', 'Not theirs');
    for (const surface of surfaces) {
      const add = (projectId: string) => {
        const named = surface === 'v1' ? { project_id: projectId } : { projectId };
        return suite.posthorn.post(`${prefixes[surface]}/domains`, {
          domain: `${surface}.example.test`,
          ...named,
        });
      };
      for (const foreign of [another['id']!, randomId]) {
        const { status, text } = await add(foreign);
        expect([status, text.toLowerCase()]).toEqual([
          403,
          expect.stringContaining('"code":"project_access_denied"'),
        ]);
      }
      expect((await add(suite.posthorn.dev.projectId.toUpperCase())).status).toBe(201);
    }
  });

  it('is listed completely on legacy and in pages on v1, bound to a stream, and removed', async () => {
    const { posthorn } = suite;
    const made = await posthorn.post('/api/domains', {
      domain: 'news.example.test',
      stream: 'MARKETING',
      streamDefault: true,
    });
    expect([made.status, made.body.data.verified, made.body.data.streamDefault]).toEqual([201, true, true]);
    // Sends know the verified domains of a project for a second; until then the domain above, example.test, vouches for this sender.
    await eventually(async () => {
      const { status, body } = await posthorn.post('/api/v1/emails', {
        from: 'a@news.example.test',
        to: 'ada@example.com',
        subject: 'Hello',
        body: '<p>Hi</p>',
      });
      return status === 403 && body.code === 'scope_missing';
    }, 'transactional mail is refused from a domain of the marketing stream');
    const whole = await posthorn.get('/api/domains');
    const names = whole.body.data.map(({ domain }: { domain: string }) => domain);
    expect(names).toEqual(expect.arrayContaining(['news.example.test', 'shop.example', 'example.test']));
    const page = await posthorn.get('/api/v1/domains?limit=1');
    expect([page.body.data.length, page.body.has_more]).toEqual([1, true]);

    const one = `/api/domains/${made.body.data.id}`;
    expect((await posthorn.request('PATCH', one, { stream: null })).body.data).toMatchObject({
      stream: null,
      streamDefault: false,
    });
    const draft = await posthorn.post('/api/v1/campaigns', {
      name: 'News',
      audience_type: 'ALL',
      from: 'a@news.example.test',
    });
    expect((await posthorn.request('DELETE', one)).status).toBe(409);
    await posthorn.request('DELETE', `/api/v1/campaigns/${draft.body.id}`);
    expect((await posthorn.request('DELETE', one)).body).toEqual({ success: true });
    expect((await posthorn.get(one)).status).toBe(404);
  });
});
