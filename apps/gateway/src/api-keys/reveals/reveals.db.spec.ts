import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projects } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import {
  startGatewaySuite,
  type Request,
  type GatewaySuite,
  type SignedIn,
  type Published,
} from '../../testing/gateway-suite.js';
import { revealPurgeWork } from './reveals.repository.js';

let suite: GatewaySuite;
beforeAll(async () => {
  suite = await startGatewaySuite();
});
afterAll(() => suite.stop());

const html = { accept: 'text/html,application/xhtml+xml;q=0.9' };
const tokenPattern = /sk_live_\w{42}/;

interface Link {
  projectId: string;
  keyId: string;
  path: string;
  owner: SignedIn;
}

async function buildLink(): Promise<Link> {
  const { projectId } = await suite.buildProject();
  const owner = await suite.buildUser({ projectId });
  const { json } = await suite.request('POST', `/api/projects/${projectId}/api-keys`, {
    as: owner,
    body: { name: 'A key' },
  });
  const { id, revealUrl } = json['data'] as { id: string; revealUrl: string };
  const { pathname, search } = new URL(revealUrl);
  return { projectId, keyId: id, path: pathname + search, owner };
}

const open = ({ path }: Pick<Link, 'path'>, request: Request, method = 'GET'): Promise<Published> =>
  suite.request(method, path, request);
const expectRefused = (expected: number, { status, json }: Published) =>
  expect([status, json]).toMatchObject([expected, { success: false, error: { code: 'RESOURCE_NOT_FOUND' } }]);
const expectOver = (published: Published) => expectRefused(410, published);
const waiting = async ({ keyId }: Link) =>
  (
    await suite.database.query<{ row: string }>(
      `SELECT to_jsonb(r)::text AS row FROM api_key_reveals r WHERE key_id = $1`,
      [keyId],
    )
  ).map(({ row }) => row);

describe('a reveal link', () => {
  it('is read once, by a member, and the secret is then deleted', async () => {
    const link = await buildLink();
    const [sealed] = await waiting(link);
    const published = await open(link, { as: link.owner });
    const token = (published.json['data'] as { token: string }).token;
    expect([published.status, published.json]).toEqual([
      200,
      { success: true, data: { token: expect.stringMatching(tokenPattern) } },
    ]);
    expect(published.headers.get('cache-control')).toBe('no-store');
    expect(sealed).not.toContain(token);
    expect(sealed).not.toContain(new URL(link.path, 'http://x').searchParams.get('token'));
    expect(await waiting(link)).toEqual([]);
    expectOver(await open(link, { as: link.owner }));
    expect((await suite.request('GET', `/api/v1/projects/${link.projectId}`, { key: token })).status).toBe(
      200,
    );
  });

  it('is read once under concurrency', async () => {
    const link = await buildLink();
    const published = await Promise.all(Array.from({ length: 10 }, () => open(link, { as: link.owner })));
    expect(published.filter(({ text }) => tokenPattern.test(text))).toHaveLength(1);
    expect(published.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array.from({ length: 9 }, () => 410),
    ]);
  });

  it('is for sessions of members only', async () => {
    const link = await buildLink();
    const { token } = await suite.buildKey(link.projectId);
    const codeOf = ({ status, json }: Published) => [status, (json['error'] as { code: string }).code];
    expect(codeOf(await open(link, { key: token }))).toEqual([401, 'INVALID_SESSION']);
    expect(codeOf(await open(link, {}))).toEqual([401, 'INVALID_SESSION']);
    expect(codeOf(await open(link, { as: await suite.buildUser() }))).toEqual([403, 'PROJECT_ACCESS_DENIED']);
    const member = await suite.buildUser({ projectId: link.projectId, role: 'MEMBER' });
    expect((await open(link, { as: member })).text).toMatch(tokenPattern);
  });

  it('is valid for five minutes of Postgres time', async () => {
    const link = await buildLink();
    const move = (seconds: number) =>
      suite.database.query(
        `UPDATE api_key_reveals SET expires_at = clock_timestamp() + make_interval(secs => $2) WHERE key_id = $1`,
        [link.keyId, seconds],
      );
    await move(-0.001);
    expectOver(await open(link, { as: link.owner }));
    await move(60);
    expect((await open(link, { as: link.owner })).text).toMatch(tokenPattern);
  });

  it('is purged when nobody opened it in time', async () => {
    const [link, other] = [await buildLink(), await buildLink()];
    await suite.database.query(
      `UPDATE api_key_reveals SET expires_at = clock_timestamp() WHERE key_id = $1`,
      [link.keyId],
    );
    for (const { projectId, keyId } of [link, other])
      await suite.queue.enqueue(revealPurgeWork, [{ projectId, key: keyId }]);
    const purges = () =>
      suite.database.query(`SELECT 1 FROM work_items WHERE key = ANY ($1)`, [[link.keyId, other.keyId]]);
    await eventually(async () => (await purges()).length === 0, 'both items are done');
    expect(await waiting(link)).toEqual([]);
    expect((await open(other, { as: other.owner })).text).toMatch(tokenPattern);
  });

  it('reveals nothing with another token, key or project', async () => {
    const [link, other] = [await buildLink(), await buildLink()];
    const token = new URL(link.path, 'http://x').searchParams.get('token')!;
    const at = (keyId: string, secret: string) =>
      `/api/projects/${link.projectId}/api-keys/${keyId}/reveal?token=${secret}`;
    const changed = token.replace(/^./, (first) => (first === 'a' ? 'b' : 'a'));
    const wrong = [
      at(link.keyId, changed),
      at(link.keyId, token.slice(1)),
      at(other.keyId, token),
      at(newId(), token),
      at('no-id', token),
    ];
    const text = new Set<string>();
    for (const path of wrong) {
      const published = await open({ path }, { as: link.owner });
      expectRefused(404, published);
      text.add(published.text);
    }
    expect(text.size).toBe(1);
    for (const query of [
      '',
      '?token=',
      `?token=${'x'.repeat(201)}`,
      '?token=%00',
      `?token=${token}&token=${token}`,
      `?token=${token}&x=1`,
      `?token=${token}&confirm=2`,
    ]) {
      expect([
        query,
        (await open({ path: link.path.replace(/\?.*/, query) }, { as: link.owner })).status,
      ]).toEqual([query, 422]);
    }
    expect((await open({ path: `${link.path}${'x'.repeat(1024 * 1024)}` }, { as: link.owner })).status).toBe(
      431,
    );
    expect((await open(link, { as: link.owner })).text).toMatch(tokenPattern);
  });

  it('ends with the next rotation and with the key', async () => {
    const link = await buildLink();
    const keys = `/api/projects/${link.projectId}/api-keys/${link.keyId}`;
    const { json } = await suite.request('POST', `${keys}/rotate`, { as: link.owner });
    expectOver(await open(link, { as: link.owner }));
    const { pathname, search } = new URL((json['data'] as { revealUrl: string }).revealUrl);
    await suite.request('DELETE', keys, { as: link.owner });
    expectOver(await open({ path: pathname + search }, { as: link.owner }));
    expect(await waiting(link)).toEqual([]);
  });

  it('can be opened while the project is disabled', async () => {
    const link = await buildLink();
    await suite.bus.call(
      projects.disable,
      { projectId: link.projectId, actor: { kind: 'OPERATOR', id: 'tests' } },
      { id: link.projectId, reason: 'MANUAL' },
    );
    expect((await open(link, { as: link.owner })).text).toMatch(tokenPattern);
  });
});

describe('a reveal link in a browser', () => {
  it('shows a confirmation page first, and the key after its button', async () => {
    const link = await buildLink();
    for (let look = 0; look < 3; look += 1) {
      const requested = await open(link, { as: link.owner, headers: html });
      expect([requested.status, requested.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ]);
      expect(requested.text).toContain('<form method="post"');
      expect(requested.text).not.toMatch(tokenPattern);
      expect(requested.headers.get('content-security-policy')).toMatch(
        /^default-src 'none';.* form-action 'self'/,
      );
      expect([requested.headers.get('referrer-policy'), requested.headers.get('cache-control')]).toEqual([
        'same-origin',
        'no-store',
      ]);
    }
    const form = { ...html, 'content-type': 'application/x-www-form-urlencoded' };
    const foreign = await open(
      link,
      { as: link.owner, headers: { ...form, origin: 'https://elsewhere.example' } },
      'POST',
    );
    expect(foreign.status).toBe(403);
    const shown = await open(link, { as: link.owner, headers: form }, 'POST');
    expect([shown.status, shown.text]).toEqual([200, expect.stringMatching(/<code>sk_live_\w{42}<\/code>/)]);
    for (const method of ['GET', 'POST']) {
      const removed = await open(link, { as: link.owner, headers: form }, method);
      expect([removed.status, removed.headers.get('content-type')]).toEqual([
        410,
        'text/html; charset=utf-8',
      ]);
      expect(removed.text).not.toMatch(tokenPattern);
    }
  });

  it('leads to sign-in and back', async () => {
    const link = await buildLink();
    const requested = await open(link, { headers: html });
    expect([requested.status, requested.headers.get('location')]).toEqual([
      303,
      `/sign-in?${new URLSearchParams({ next: link.path }).toString()}`,
    ]);
    expect((await open(link, {})).status).toBe(401);
  });

  it('shows the key at once with confirm=1', async () => {
    const link = await buildLink();
    const path = `${link.path}&confirm=1`;
    const shown = await open({ path }, { as: link.owner, headers: html });
    expect([shown.status, shown.text]).toEqual([200, expect.stringMatching(/<code>sk_live_\w{42}<\/code>/)]);
    expect((await open({ path }, { as: link.owner, headers: html })).status).toBe(410);
    expectOver(await open({ path }, { as: link.owner }));
  });

  it('shows an error page if it is invalid', async () => {
    const link = await buildLink();
    const path = link.path.replace(/token=./, (start) => (start.endsWith('A') ? 'token=B' : 'token=A'));
    for (const method of ['GET', 'POST']) {
      const published = await open({ path }, { as: link.owner, headers: html }, method);
      expect([published.status, published.headers.get('content-type')]).toEqual([
        404,
        'text/html; charset=utf-8',
      ]);
    }
  });

  it.each([
    ['a HEAD', 'HEAD', {}],
    ['a HEAD request of a browser', 'HEAD', html],
    ['a preview', 'GET', { 'user-agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' }],
    ['a prefetch of a browser', 'GET', { ...html, 'sec-purpose': 'prefetch;prerender' }],
  ])('is not used up by %s, with or without confirm', async (_, method, headers) => {
    const link = await buildLink();
    for (const path of [link.path, `${link.path}&confirm=1`]) {
      const published = await open(
        { path },
        { as: link.owner, headers: headers as Record<string, string> },
        method,
      );
      expect([published.status, published.text]).toEqual([200, expect.not.stringMatching(tokenPattern)]);
    }
    expect((await open(link, { as: link.owner })).text).toMatch(tokenPattern);
  });
});
