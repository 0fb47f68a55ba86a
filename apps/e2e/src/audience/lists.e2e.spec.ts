import { beforeAll, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hasBrowser, openBrowser, openPage, press, violationsOf } from '@posthorn/testing';
import {
  expectRefusal,
  pointerOn,
  prefixes,
  randomId,
  surfaces,
  withPosthorn,
} from '../testing/bad-input.js';

const suite = withPosthorn();
const inBrowser = hasBrowser ? it : it.skip;
let publicKey: Record<string, string>;
beforeAll(() => {
  publicKey = { authorization: `Bearer ${suite.posthorn.dev.publicKey}` };
});

const build = async (body: object = {}): Promise<string> =>
  (await suite.posthorn.post('/api/v1/lists', { name: 'News', ...body })).body.id;
const linkOf = (token: string) =>
  `${suite.posthorn.dev.baseUrl}/api/lists/confirm-subscription?token=${token}`;
const contactOf = async (email: string) =>
  (await suite.posthorn.get(`/api/v1/contacts?search=${encodeURIComponent(email)}`)).body.data[0];

describe('a list', () => {
  it('is created, read, updated and deleted on both surfaces, and counts its members', async () => {
    const { posthorn } = suite;
    const made = await posthorn.post('/api/v1/lists', {
      name: 'News',
      redirect_url: 'https://shop.example/hello',
    });
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.any(String),
        name: 'News',
        description: null,
        double_opt_in: false,
        confirmation_template_id: null,
        redirect_url: 'https://shop.example/hello',
        member_count: 0,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    const id = made.body.id as string;
    const nothing = { description: null, confirmation_template_id: null, redirect_url: null };
    expect((await posthorn.request('PATCH', `/api/v1/lists/${id}`, nothing)).body).toEqual(made.body);
    const patched = await posthorn.request('PATCH', `/api/lists/${id}`, {
      description: 'Weekly',
      doubleOptIn: false,
    });
    expect(patched.body.data).toMatchObject({
      description: 'Weekly',
      doubleOptIn: false,
      redirectUrl: 'https://shop.example/hello',
    });
    for (const email of ['a@example.com', 'b@example.com'])
      await posthorn.post(`/api/v1/lists/${id}/subscribe`, { email });
    expect((await posthorn.get(`/api/v1/lists/${id}`)).body.member_count).toBe(2);
    const members = await posthorn.get(`/api/lists/${id}/members?status=CONFIRMED&limit=1`);
    expect(members.body.data).toMatchObject({
      items: [{ email: 'b@example.com', status: 'CONFIRMED' }],
      hasMore: true,
      total: 2,
    });
    const rest = await posthorn.get(
      `/api/lists/${id}/members?status=CONFIRMED&limit=1&cursor=${members.body.data.nextCursor}`,
    );
    expect(rest.body.data.items[0].email).toBe('a@example.com');
    expect((await posthorn.request('DELETE', `/api/v1/lists/${id}`)).body).toEqual({ id, deleted: true });
    expect((await posthorn.get(`/api/lists/${id}`)).status).toBe(404);
    expect(await contactOf('a@example.com')).toMatchObject({ subscribed: true });
  });

  it.each(surfaces)('refuses what does not fit, on %s', async (surface) => {
    const path = `${prefixes[surface]}/lists`;
    const named = (name: string) =>
      surface === 'v1' ? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : name;
    for (const [body, location, code] of [
      [{}, 'name', 'required'],
      [{ name: 'x'.repeat(101) }, 'name', 'too_long'],
      [{ name: 'x', description: 'x'.repeat(501) }, 'description', 'too_long'],
      [{ name: 'x', [named('redirectUrl')]: 'http://shop.example' }, 'redirectUrl', 'invalid_format'],
      [{ name: 'x', [named('doubleOptIn')]: 'yes' }, 'doubleOptIn', 'invalid_type'],
      [{ name: 'x', [named('confirmationTemplateId')]: randomId }, 'confirmationTemplateId', 'not_found'],
    ] as const)
      expectRefusal(await suite.posthorn.post(path, body), surface, path, {
        status: 422,
        errors: [[pointerOn(surface, `/${named(location)}`), code]],
      });
    const id = await build();
    for (const [body, target, code] of [
      [{ email: 'nobody' }, 'email', 'invalid_format'],
      [{ email: 'a@example.com', data: { a: { b: { c: { d: { e: { f: 1 } } } } } } }, 'data', 'out_of_range'],
      [{ email: 'a@example.com', data: { a: 'x'.repeat(64 * 1024) } }, 'data', 'too_long'],
    ] as const) {
      const requested = `${path}/${id}/subscribe`;
      expectRefusal(await suite.posthorn.post(requested, body), surface, requested, {
        status: 422,
        errors: [[pointerOn(surface, `/${target}`), code]],
      });
    }
    const wrong = await suite.posthorn.get(`${path}/${id}/members?status=GONE`);
    expect(wrong.status).toBe(422);
  });
});

describe('a subscription', () => {
  it('resubscribes a contact only if the caller confirms it', async () => {
    const { posthorn } = suite;
    const path = `/lists/${await build()}`;
    const request = (prefix: string, more: object = {}) =>
      posthorn.post(`${prefix}${path}/subscribe`, { email: 'left@example.com', ...more });
    const made = await request('/api');
    expect([made.status, made.body]).toEqual([
      200,
      {
        success: true,
        data: { membershipId: expect.any(String), status: 'CONFIRMED', created: true, previousStatus: null },
      },
    ]);
    await posthorn.post(`/api${path}/unsubscribe`, { email: 'left@example.com' });
    const refused = [await request('/api'), await request('/api/v1')];
    expect(refused.map(({ status }) => status)).toEqual([409, 409]);
    expect(refused[0]!.body.error).toMatchObject({
      code: 'RESUBSCRIBE_CONFIRMATION_REQUIRED',
      details: { previousStatus: 'UNSUBSCRIBED' },
    });
    expect(refused[1]!.body).toMatchObject({ code: 'conflict', previous_status: 'UNSUBSCRIBED' });
    const back = await request('/api/v1', { allow_resubscribe: true });
    expect(back.body).toMatchObject({ status: 'CONFIRMED', created: false, previous_status: 'UNSUBSCRIBED' });
  });

  it('with a public key reveals nothing about addresses and changes no contact', async () => {
    const { posthorn } = suite;
    const path = `/api/lists/${await build()}`;
    await posthorn.post('/api/v1/contacts', { email: 'known@example.com', custom_fields: { plan: 'pro' } });
    const requested = { email: 'known@example.com', data: { plan: 'free', admin: true } };
    expect((await posthorn.post(`${path}/subscribe`, requested, publicKey)).status).toBe(200);
    expect(JSON.parse((await contactOf('known@example.com')).custom_fields)).toEqual({ plan: 'pro' });
    for (const email of ['known@example.com', 'nobody-at-all@example.com'])
      expect((await posthorn.post(`${path}/unsubscribe`, { email }, publicKey)).body).toEqual({
        success: true,
        data: { email },
      });
    expect(await contactOf('nobody-at-all@example.com')).toBeUndefined();
    for (const [method, other] of [
      ['GET', path],
      ['GET', `${path}/members`],
      ['DELETE', path],
      ['PATCH', path],
    ] as const)
      expect(
        (await posthorn.request(method, other, method === 'PATCH' ? {} : undefined, publicKey)).status,
      ).toBe(403);
  });

  it('of another project is unknown', async () => {
    const id = await build();
    const another = await suite.operator('projects', 'create', '--name', 'Another');
    const { token } = await suite.operator(
      'keys',
      'create',
      '--name',
      'another',
      '--project',
      another['id']!,
    );
    const published = await Promise.all(
      [id, randomId].map((each) =>
        suite.posthorn.post(
          `/api/lists/${each}/subscribe`,
          { email: 'a@example.com' },
          { authorization: `Bearer ${token}` },
        ),
      ),
    );
    expect(published.map(({ status, text }) => [status, text])).toEqual(
      published.map(() => [404, published[0]!.text]),
    );
  });
});

describe('double opt-in', () => {
  it('is confirmed by programs at once, and only once', async () => {
    const { posthorn } = suite;
    const id = await build({ double_opt_in: true });
    const made = await posthorn.post(`/api/lists/${id}/subscribe`, { email: 'program@example.com' });
    expect(made.body.data).toMatchObject({ status: 'PENDING', confirmToken: expect.any(String) });
    const again = await posthorn.post(
      `/api/v1/lists/${id}/subscribe`,
      { email: 'program@example.com' },
      publicKey,
    );
    expect(again.body).toMatchObject({
      status: 'PENDING',
      confirm_token: made.body.data.confirmToken,
      previous_status: 'PENDING',
    });
    const link = linkOf(made.body.data.confirmToken as string);
    const published = [1, 2].map(
      () => () => fetch(link, { headers: { accept: 'application/json' }, redirect: 'manual' }),
    );
    expect([(await published[0]!()).status, (await published[1]!()).status]).toEqual([200, 410]);
    expect((await posthorn.get(`/api/v1/lists/${id}`)).body.member_count).toBe(1);
  });

  inBrowser(
    'is started on a page of another origin, confirmed on ours without scripts, and redirects (needs: apt-get install chromium)',
    async () => {
      const { posthorn } = suite;
      const id = await build({ double_opt_in: true, redirect_url: 'https://shop.example/thanks' });
      const shop = createServer((_, response) =>
        response.setHeader('content-type', 'text/html').end('<!doctype html><title>Shop</title>'),
      );
      await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
      const browser = await openBrowser();
      try {
        const page = await openPage(browser);
        await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`);
        const answer =
          (await page.evaluate(`fetch(${JSON.stringify(`${posthorn.dev.baseUrl}/api/lists/${id}/subscribe`)}, {
        method: 'POST', headers: { authorization: ${JSON.stringify(publicKey['authorization'])}, 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'browser@example.com' }) }).then((told) => told.json())`)) as {
            data: { status: string; confirmToken: string };
          };
        expect(answer.data.status).toBe('PENDING');
        const plain = await openPage(browser, { javaScriptEnabled: false });
        await plain.route('https://shop.example/thanks', (route) =>
          route.fulfill({ contentType: 'text/html', body: '<title>Thanks</title>' }),
        );
        await plain.goto(linkOf(answer.data.confirmToken));
        expect((await posthorn.get(`/api/v1/lists/${id}`)).body.member_count).toBe(0);
        await plain.getByRole('button', { name: 'Confirm' }).click();
        await plain.waitForURL('https://shop.example/thanks');
        expect(await contactOf('browser@example.com')).toMatchObject({ subscribed: true });
        expect((await posthorn.get(`/api/v1/lists/${id}`)).body.member_count).toBe(1);
      } finally {
        await browser.close();
        await new Promise((closed) => shop.close(closed));
      }
    },
  );

  inBrowser.each([
    ['en', 'Confirm', 'You are subscribed', 'This link is no longer valid'],
    ['de', 'Bestätigen', 'Sie sind angemeldet', 'Dieser Link gilt nicht mehr'],
    ['fr', 'Confirmer', 'Inscription confirmée', 'Ce lien n’est plus valable'],
    ['es', 'Confirmar', 'Suscripción confirmada', 'Este enlace ya no sirve'],
  ])(
    'has accessible pages in %s, in light and dark (needs: apt-get install chromium)',
    async (language, button, done, over) => {
      const { posthorn } = suite;
      await posthorn.request('PATCH', `/api/v1/projects/${posthorn.dev.projectId}`, { language });
      const id = await build({ double_opt_in: true });
      const made = await posthorn.post(`/api/lists/${id}/subscribe`, { email: `${language}@example.com` });
      const link = linkOf(made.body.data.confirmToken as string);
      const browser = await openBrowser();
      try {
        for (const colorScheme of ['light', 'dark'] as const) {
          const page = await openPage(browser, { colorScheme });
          await page.goto(link);
          expect(await violationsOf(page)).toEqual([]);
          if (colorScheme === 'light') continue;
          await press(page, button);
          expect([await page.getByRole('heading').textContent(), await violationsOf(page)]).toEqual([
            done,
            [],
          ]);
          await page.goto(link);
          expect([await page.getByRole('heading').textContent(), await violationsOf(page)]).toEqual([
            over,
            [],
          ]);
        }
      } finally {
        await browser.close();
      }
    },
  );
});
