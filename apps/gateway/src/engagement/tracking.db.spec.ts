import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { engagement, type Engagement } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { EngagementTokens } from '@posthorn/mail';
import { Metrics } from '@posthorn/telemetry';
import { eventually, standIn, testSecret } from '@posthorn/testing';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';
import { WithdrawnProjects } from '../projects/withdrawn-projects.read-model.js';
import { EngagementRecorder } from './engagement-recorder.js';

const tokens = new EngagementTokens([testSecret]);
const buildTarget = () => ({ projectId: newId(), emailId: newId(), position: 0 });
const url = 'https://shop.example/spring?a=1&b=2';

let suite: GatewaySuite;
let recorded: Engagement[] = [];
let leave: (() => Promise<void>) | null = null;

/** Counts a repeated id once, as sending does. */
const sendingComes = async () => {
  leave = await standIn(suite.connection, engagement.record, async ({ items }) => {
    recorded.push(...items.filter(({ id }) => recorded.every((known) => known.id !== id)));
    return { recorded: items.length };
  });
};
const seenOf = (emailId: string, count: number) =>
  eventually(async () => {
    const seen = recorded.filter((item) => item.emailId === emailId);
    return seen.length >= count ? seen : null;
  }, `${count} are recorded`);

beforeAll(async () => {
  suite = await startGatewaySuite({ ANSWER_WITHIN_MS: '8000' }, { breakable: true });
});
afterEach(async () => {
  await leave?.();
  leave = null;
  recorded = [];
});
afterAll(() => suite.stop());

describe('the tracking pixel', () => {
  it('is an uncached 1×1 image, and each request is recorded', async () => {
    await sendingComes();
    const location = buildTarget();
    const response = await fetch(`${suite.gateway.url}/t/o/${tokens.forOpen(location)}.gif`, {
      headers: { 'user-agent': 'A reader/1.0' },
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([response.status, response.headers.get('content-type'), bytes.toString('latin1', 0, 6)]).toEqual([
      200,
      'image/gif',
      'GIF89a',
    ]);
    expect(response.headers.get('cache-control')).toContain('no-store');
    expect(bytes.length).toBeLessThan(50);
    const [seen] = await seenOf(location.emailId, 1);
    expect(seen).toMatchObject({ ...location, kind: 'OPEN', userAgent: 'A reader/1.0' });
    expect(seen!.agoMs).toBeLessThan(60_000);
  });
});

describe('a link', () => {
  it('redirects, and is recorded, also for HEAD', async () => {
    await sendingComes();
    const location = buildTarget();
    const path = `/t/c/${tokens.forClick({ ...location, position: 3, url })}`;
    for (const method of ['GET', 'HEAD']) {
      const published = await suite.request(method, path);
      expect([published.status, published.headers.get('location'), published.text]).toEqual([302, url, '']);
    }
    const seen = await seenOf(location.emailId, 2);
    expect(seen.map(({ kind, position, url: link, head }) => [kind, position, link, head])).toEqual([
      ['CLICK', 3, url, undefined],
      ['CLICK', 3, url, true],
    ]);
  });

  it('with a changed byte is 404 and does not redirect', async () => {
    const location = buildTarget();
    const [click, open] = [tokens.forClick({ ...location, url }), tokens.forOpen(location)];
    const changed = (token: string) => token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
    const wrong = [
      `/t/c/${changed(click)}`,
      `/t/c/${open}`,
      `/t/c/x`,
      `/t/c/https:%2F%2Fevil.example`,
      `/t/o/${changed(open)}.gif`,
      `/t/o/${open}`,
      `/t/o/${open}.png`,
      `/t/o/${click}.gif`,
      `/t/c/${'A'.repeat(12_000)}`,
    ];
    const [nothing, ...published] = await Promise.all(
      ['/t/nothing', ...wrong].map((path) => suite.request('GET', path)),
    );
    expect(nothing!.status).toBe(404);
    expect(published.map(({ status, text }) => [status, text])).toEqual(
      wrong.map(() => [404, nothing!.text]),
    );
    for (const { headers } of published) expect(headers.get('location')).toBeNull();
    expect((await suite.request('POST', `/t/c/${click}`)).status).toBe(405);
  });
});

describe('readers', () => {
  it('work while sending is unavailable, and are recorded once when it is back', async () => {
    const location = buildTarget();
    const path = `/t/c/${tokens.forClick({ ...location, url })}`;
    const published = await Promise.all(Array.from({ length: 50 }, () => suite.request('GET', path)));
    expect(new Set(published.map(({ status }) => status))).toEqual(new Set([302]));
    await sendingComes();
    const seen = await seenOf(location.emailId, 50);
    expect([seen.length, new Set(seen.map(({ id }) => id)).size]).toEqual([50, 50]);
  });

  it('work while the database and NATS are unavailable', async () => {
    const location = buildTarget();
    suite.line.cut();
    try {
      const published = await suite.request('GET', `/t/c/${tokens.forClick({ ...location, url })}`);
      expect([published.status, published.headers.get('location')]).toEqual([302, url]);
    } finally {
      suite.line.fix();
    }
    await sendingComes();
    await seenOf(location.emailId, 1);
  });

  it('are reported before a gateway stops', async () => {
    await sendingComes();
    const location = buildTarget();
    const another = await suite.startAnother();
    const path = `/t/o/${tokens.forOpen(location)}.gif`;
    await Promise.all(Array.from({ length: 20 }, () => suite.requestAt(another, 'GET', path)));
    await another.stop();
    expect(recorded.filter(({ emailId }) => emailId === location.emailId)).toHaveLength(20);
  });

  it('of one message are recorded a hundred times in ten seconds, however often a link is replayed', async () => {
    await sendingComes();
    const [replayed, other] = [buildTarget(), buildTarget()];
    // The ten seconds of a gateway begin with its first request.
    const another = await suite.startAnother();
    const link = `/t/c/${tokens.forClick({ ...replayed, url })}`;
    const published = await Promise.all(
      Array.from({ length: 150 }, () => suite.requestAt(another, 'GET', link)),
    );
    expect(new Set(published.map(({ status }) => status))).toEqual(new Set([302]));
    await suite.requestAt(another, 'GET', `/t/o/${tokens.forOpen(other)}.gif`);
    await seenOf(other.emailId, 1);
    await another.stop();
    expect(recorded.filter(({ emailId }) => emailId === replayed.emailId)).toHaveLength(100);
  });

  it('are counted as dropped beyond the memory limit', async () => {
    const metrics = new Metrics('gateway');
    const recorder = new EngagementRecorder(suite.bus, metrics);
    const long = `https://shop.example/${'x'.repeat(2_000)}`;
    for (let count = 0; count < 20_000; count += 1)
      recorder.note({ ...buildTarget(), kind: 'CLICK', url: long });
    const text = await metrics.registry.metrics();
    const valueOf = (name: string) => Number(new RegExp(`^${name}\\{.*\\} (\\d+)$`, 'm').exec(text)?.[1]);
    const [waiting, dropped] = [
      valueOf('posthorn_engagements_waiting'),
      valueOf('posthorn_engagements_dropped_total'),
    ];
    expect(waiting + dropped).toBe(20_000);
    expect(waiting).toBeGreaterThan(10_000);
    expect(dropped).toBeGreaterThan(1_000);
  });
});

describe('the links of a project that was disabled for phishing', () => {
  it('lead nowhere, the archive neither, while its unsubscribe page opens and the links of others work', async () => {
    await sendingComes();
    const { projectId } = await suite.buildProject();
    const click = (of: string) =>
      suite.request('GET', `/t/c/${tokens.forClick({ ...buildTarget(), projectId: of, url })}`);
    const disable = (reason: string | null) =>
      suite.database.query(`UPDATE projects SET disabled_reason = $2 WHERE id = $1`, [projectId, reason]);
    expect((await click(projectId)).status).toBe(302);
    for (const reason of ['MANUAL', 'EMAIL_REPUTATION', 'PAYMENT_FAILED']) {
      await disable(reason);
      await new WithdrawnProjects(suite.database).has(projectId);
      expect((await click(projectId)).status).toBe(302);
    }
    await disable('PHISHING_DETECTED');
    const answer = await eventually(async () => {
      const response = await click(projectId);
      return response.status === 302 ? null : response;
    }, 'the link leads nowhere');
    expect([answer.status, answer.headers.get('location')]).toEqual([410, null]);
    expect((await suite.request('GET', `/a/${projectId}/${newId()}`)).status).toBe(410);
    const leaving = tokens.forUnsubscribe({ projectId, emailId: newId(), email: 'ada@example.org' });
    expect((await suite.request('GET', `/u/${leaving}`)).status).toBe(200);
    expect((await click(newId())).status).toBe(302);
  });
});
