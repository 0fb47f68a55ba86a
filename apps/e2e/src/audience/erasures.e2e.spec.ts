import { describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import PostalMime from 'postal-mime';
import {
  expectRefusal,
  prefixes,
  randomId,
  surfaces,
  withPosthorn,
  type Surface,
} from '../testing/bad-input.js';
import { inboxMessages, rawMessage } from '../testing/inbox.js';
import { eventsUnpublished, tablesContaining } from '../testing/left-behind.js';

const suite = withPosthorn({});
const services = ['contacts', 'sending', 'analytics', 'campaigns', 'workflows', 'gateway'];
const reader = {
  'user-agent':
    'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
};

/** A person with data in every service: sends, opens, imports, events and an opt-out. */
async function live(email: string): Promise<string> {
  const { posthorn } = suite;
  const contact = { email, custom_fields: { note: `ask ${email.toUpperCase()}` } };
  const { id } = (await posthorn.post('/api/v1/contacts', contact)).body as { id: string };
  const list = (await posthorn.post('/api/v1/lists', { name: 'News' })).body.id as string;
  await posthorn.post(`/api/v1/lists/${list}/subscribe`, { email });
  await posthorn.post(
    '/api/v1/events',
    { name: 'signup', email, payload: { mail: email } },
    { 'idempotency-key': `signup ${email}` },
  );
  await imported(`email,name\n${email.toUpperCase()},Ann\nsomebody@example.com,Bob\n`);
  await read(email);
  await copied(email);
  await posthorn.post('/api/v1/segments', { name: `Only ${id}`, type: 'DYNAMIC', condition: only(email) });
  await posthorn.post('/api/v1/suppressions', { email, reason: 'MANUAL' });
  await posthorn.post('/api/v1/emails', { to: email, subject: 'Not sent', body: 'Hi' });
  return id;
}

const only = (email: string) => ({
  logic: 'AND',
  groups: [{ filters: [{ field: 'email', operator: 'equals', value: email }] }],
});

async function imported(table: string): Promise<void> {
  const { body } = await suite.posthorn.post('/api/v1/contacts/imports', table, {
    'content-type': 'text/csv',
  });
  await eventually(
    async () =>
      (await suite.posthorn.get(`/api/v1/contacts/imports/${body.id}`)).body.finished_at as string | null,
    'the import is finished',
  );
}

/** A mail that contains the address, and is opened and clicked. */
async function read(email: string): Promise<void> {
  const { posthorn } = suite;
  const subject = `For ${email}`;
  const body = `<p><a href="https://shop.example/?mail=${encodeURIComponent(email)}">Shop</a> for ${email}</p>`;
  const sent = await posthorn.post(
    '/api/v1/emails',
    { to: email, subject, body },
    { 'idempotency-key': email },
  );
  const html = await eventually(async () => {
    const found = (await inboxMessages(posthorn)).find((message) => message.subject === subject);
    return found && (await PostalMime.parse(await rawMessage(posthorn, found.id))).html;
  }, 'it arrives');
  const [link, pixel] = [/href="([^"]+\/t\/c\/[^"]+)"/, /src="([^"]+\/t\/o\/[^"]+\.gif)"/].map(
    (pattern) => pattern.exec(html)![1]!,
  );
  await eventually(async () => {
    for (const path of [link!, pixel!])
      await fetch(new URL(new URL(path).pathname, posthorn.dev.baseUrl), {
        headers: reader,
        redirect: 'manual',
      });
    const { body: shown } = await posthorn.get(`/api/v1/emails/${sent.body.id}`);
    return shown.opens > 0 && shown.clicks > 0;
  }, 'it is read');
}

async function copied(email: string): Promise<void> {
  const { posthorn } = suite;
  const { body } = await posthorn.post('/api/v1/emails', {
    to: 'else@example.com',
    cc: [email],
    subject: 'A copy',
    body: 'Hi',
  });
  await eventually(
    async () => (await posthorn.get(`/api/v1/emails/${body.id}`)).body.status === 'DELIVERED',
    'the copy is delivered',
  );
}

async function report(surface: Surface, id: string) {
  const answer = await suite.posthorn.get(`${prefixes[surface]}/erasures/${id}`);
  expect(answer.status).toBe(200);
  return surface === 'v1' ? answer.body : answer.body.data;
}

const completed = (id: string) =>
  eventually(
    async () => ((await report('v1', id)).completed_at ? report('v1', id) : null),
    'the erasure is complete',
    60_000,
  );

describe('the erasure of a person', () => {
  it.each(surfaces)(
    'removes the address everywhere, also after all events are published again, and keeps it blocked, on %s',
    async (surface) => {
      const { posthorn } = suite;
      const email = `erika.${surface}@person.example.com`;
      const texts = [email, encodeURIComponent(email)];
      const id = await live(email);
      await eventually(async () => (await eventsUnpublished(posthorn)) === 0, 'all is told');
      const audited = 'posthorn_gateway.public.audit_entries';
      const before = await eventually(async () => {
        const found = await tablesContaining(posthorn, texts);
        return found.includes(audited) && found;
      }, 'the audit log names the address');
      expect(before).toEqual(
        expect.arrayContaining([
          'nats',
          'posthorn_contacts.public.segments',
          audited,
          'posthorn_sending.public.emails',
        ]),
      );
      expect(before.filter((location) => /log|traces/.test(location))).toEqual([]);
      const removed = await posthorn.request('DELETE', `${prefixes[surface]}/contacts/${id}`);
      expect(removed.body).toEqual(surface === 'v1' ? { id, deleted: true } : { success: true });
      const done = await completed(id);
      expect(done).toMatchObject({ id, contact_id: id, created_at: expect.any(String) });
      expect(done.services.map(({ service }: { service: string }) => service)).toEqual(services);
      expect(await report('legacy', id)).toMatchObject({ id, contactId: id, completedAt: done.completed_at });
      expect(await tablesContaining(posthorn, texts)).toEqual([]);
      await suite.operator('events', 'republish', '--since', '2h');
      await eventually(async () => (await eventsUnpublished(posthorn)) === 0, 'all is told once more');
      expect(await tablesContaining(posthorn, texts)).toEqual([]);
      expect((await posthorn.get('/api/v1/contacts?search=person.example.com')).body.data).toEqual([]);
      expect((await posthorn.get('/api/v1/contacts?search=erased.invalid')).body.data).toEqual([]);
      expect((await posthorn.get(`/api/v1/suppressions/${email}`)).body).toMatchObject({
        email,
        reason: 'MANUAL',
      });
    },
    120_000,
  );

  it('works for each of many contacts deleted in one call', async () => {
    const { posthorn } = suite;
    const emails = Array.from({ length: 60 }, (_, index) => `many-${index}@many.example.com`);
    await posthorn.post('/api/v1/contacts/bulk', { contacts: emails.map((email) => ({ email })) });
    const { data } = (await posthorn.get('/api/v1/contacts?search=many.example&limit=100')).body as {
      data: { id: string }[];
    };
    expect((await posthorn.request('DELETE', '/api/v1/contacts/bulk', { emails })).body).toEqual({
      deleted: 60,
    });
    for (const { id } of data) await completed(id);
    expect(await tablesContaining(posthorn, ['@many.example.com'])).toEqual([]);
  });

  it.each(surfaces)('of nobody is not found, on %s', async (surface) => {
    const path = `${prefixes[surface]}/erasures/${randomId}`;
    const refusal = { status: 404, code: 'resource_not_found', detail: 'No such erasure' };
    expectRefusal(await suite.posthorn.get(path), surface, path, refusal);
  });
});
