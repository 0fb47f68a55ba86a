import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  contactEvents,
  emailEvents,
  maxWebhooks,
  memberships,
  projectWebhookSecrets,
  testEventType,
  webhookEvents,
  webhooks,
  type EmailChangedEvent,
  type UpdateWebhookById,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually, standIn } from '@posthorn/testing';
import { Webhook } from 'standardwebhooks';
import type { Received } from '../testing/receiver.js';
import { startWebhooksSuite, type WebhooksSuite } from '../testing/webhooks-suite.js';

let suite: WebhooksSuite;
beforeAll(async () => {
  suite = await startWebhooksSuite();
});
afterAll(() => suite.stop());

const sent = (): EmailChangedEvent => ({
  emailId: newId(),
  to: 'ada@example.org',
  at: new Date(),
  sourceType: 'TRANSACTIONAL',
});

describe('a webhook', () => {
  it('is created with a secret that is shown once and stored sealed', async () => {
    const { caller, projectId } = suite.buildProject();
    const { secret, ...webhook } = await suite.buildWebhook(caller, {
      eventTypes: ['email.sent', 'email.sent', 'contact.created'],
      description: 'Shop',
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(webhook).toMatchObject({
      status: 'ACTIVE',
      eventTypes: ['email.sent', 'contact.created'],
      description: 'Shop',
    });
    expect(await suite.bus.call(webhooks.get, caller, { id: webhook.id })).toEqual(webhook);
    expect(await suite.bus.call(webhooks.list, caller, { withTotal: true })).toMatchObject({
      items: [webhook],
      hasMore: false,
      total: 1,
    });
    const rows = await suite.database.query(`SELECT * FROM signing_secrets WHERE project_id = $1`, [
      projectId,
    ]);
    expect(JSON.stringify(rows)).not.toContain(secret.slice(6));
    expect(await suite.eventsOf(projectId, webhookEvents.changed)).toMatchObject([{ webhookId: webhook.id }]);
  });

  it.each([
    ['ftp://shop.example/hook', 'must be http or https'],
    ['https://user:word@shop.example/hook', 'must not contain a user name or password'],
    ['http://169.254.169.254/latest', 'leads to an address that is not public'],
    ['shop.example/hook', 'is not a URL'],
  ])('is refused with the URL %s', async (url, message) => {
    const { caller } = suite.buildProject();
    await expect(suite.buildWebhook(caller, { url })).rejects.toMatchObject({
      kind: 'invalid',
      details: { errors: [{ path: ['url'], message }] },
    });
  });

  it('hears of pending memberships, and moves while it does, only for whoever may confirm an address', async () => {
    const { caller } = suite.buildProject();
    const refused = { kind: 'forbidden', code: 'scope_missing' };
    const [without, pending] = [{ mayConfirm: false }, { eventTypes: ['list.pending' as const] }];
    await expect(suite.buildWebhook(caller, { ...pending, ...without })).rejects.toMatchObject(refused);
    const { id } = await suite.buildWebhook(caller, without);
    const change = (changes: Omit<UpdateWebhookById, 'id'>) =>
      suite.bus.call(webhooks.update, caller, { id, ...changes });
    await expect(change({ ...pending, ...without })).rejects.toMatchObject(refused);
    await expect(change(pending)).rejects.toMatchObject(refused);
    await change({ ...pending, mayConfirm: true });
    await change({ ...pending, ...without, description: 'Shop' });
    await expect(change({ url: suite.receiver.url('/elsewhere'), ...without })).rejects.toMatchObject(
      refused,
    );
    expect(await suite.bus.call(webhooks.get, caller, { id })).toMatchObject({
      ...pending,
      description: 'Shop',
      url: suite.receiver.url(),
    });
  });

  it('shows calls about pending memberships without what confirms them, which its endpoint gets', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await suite.buildWebhook(caller, { eventTypes: ['list.pending'] });
    const confirmUrl = 'https://mail.example.test/confirm-subscription?token=abc';
    const membershipId = newId();
    const leave = await standIn(suite.connection, memberships.confirmUrls, async () => ({
      urls: [{ membershipId, confirmUrl }],
    }));
    await suite.contacts.publish(contactEvents.listPending, projectId, [
      {
        contactId: newId(),
        email: 'ada@example.org',
        listId: newId(),
        listName: 'News',
        membershipId,
        at: new Date(),
      },
    ]);
    const [call] = await suite.endedCalls(caller, id);
    await leave();
    expect(call!.payload).toMatchObject({ data: { confirmUrl: null, list: { name: 'News' } } });
    expect(suite.receiver.received.some(({ body }) => body.includes(confirmUrl))).toBe(true);
  });

  it('is one of fifty at most', async () => {
    const { caller } = suite.buildProject();
    await Promise.all(Array.from({ length: maxWebhooks }, () => suite.buildWebhook(caller)));
    await expect(suite.buildWebhook(caller)).rejects.toMatchObject({ kind: 'conflict' });
    const { items } = await suite.bus.call(webhooks.list, caller, { limit: maxWebhooks });
    expect(items).toHaveLength(50);
  });

  it('is refused with an unknown type of event', async () => {
    const { caller } = suite.buildProject();
    await expect(
      suite.buildWebhook(caller, { eventTypes: ['email.delivery' as 'email.sent'] }),
    ).rejects.toMatchObject({ kind: 'invalid', details: { errors: [{ path: ['eventTypes', '0'] }] } });
  });

  it('is tested with a signed call, and shows what was answered', async () => {
    const { caller } = suite.buildProject();
    const { id, secret } = await suite.buildWebhook(caller, { url: suite.receiver.url('/test') });
    suite.receiver.answer = () => ({ status: 500, body: 'no' });
    const failed = await suite.bus.call(webhooks.test, caller, { id }, { timeoutMs: 15_000 });
    suite.receiver.answer = () => ({});
    expect(failed).toMatchObject({
      eventType: testEventType,
      status: 'FAILED',
      attempt: 1,
      responseStatus: 500,
      responseBody: 'no',
      error: null,
      nextAttemptAt: null,
      attempts: [{ attempt: 1, responseStatus: 500 }],
    });
    const [{ body, headers }] = suite.receiver.on('/test') as unknown as [Received];
    expect(new Webhook(secret).verify(body, headers)).toEqual(failed.payload);
    expect(headers['webhook-id']).toBe(failed.payload['id']);
  });

  it('signs with the old secret, too, after a rotation', async () => {
    const { caller } = suite.buildProject();
    const { id, secret: old } = await suite.buildWebhook(caller, { url: suite.receiver.url('/rotated') });
    const { secret } = await suite.bus.call(webhooks.rotateSecret, caller, { id });
    expect(secret).not.toBe(old);
    await suite.bus.call(webhooks.test, caller, { id }, { timeoutMs: 15_000 });
    await suite.database.query(`UPDATE signing_secrets SET ends_at = now() WHERE ends_at IS NOT NULL`);
    await suite.bus.call(webhooks.test, caller, { id }, { timeoutMs: 15_000 });
    const [during, after] = suite.receiver.on('/rotated');
    for (const each of [old, secret]) new Webhook(each).verify(during!.body, during!.headers);
    new Webhook(secret).verify(after!.body, after!.headers);
    expect(() => new Webhook(old).verify(after!.body, after!.headers)).toThrow();
  });

  it('that is paused misses events, which are sent by a replay only', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await suite.buildWebhook(caller, { url: suite.receiver.url('/paused') });
    await suite.bus.call(webhooks.update, caller, { id, status: 'PAUSED' });
    const from = new Date(Date.now() - 60_000);
    await suite.sending.publish(emailEvents.sent, projectId, [sent()]);
    const [missed] = await suite.endedCalls(caller, id);
    expect(missed).toMatchObject({ status: 'FAILED', attempt: 0, error: 'The webhook was paused' });
    const range = { id, from, to: new Date(Date.now() + 60_000) };
    await expect(suite.bus.call(webhooks.replayRange, caller, range)).rejects.toMatchObject({
      kind: 'conflict',
    });
    await suite.bus.call(webhooks.update, caller, { id, status: 'ACTIVE' });
    expect(suite.receiver.on('/paused')).toEqual([]);
    expect(await suite.bus.call(webhooks.replayRange, caller, range)).toEqual({ replayed: 1 });
    const [replayed] = await suite.endedCalls(caller, id);
    expect(replayed).toMatchObject({ id: missed!.id, status: 'SUCCESS', attempt: 1, error: null });
    expect(suite.receiver.on('/paused').map(({ headers }) => headers['webhook-id'])).toEqual([
      missed!.payload['id'],
    ]);
  });

  it('that is paused ends the calls that wait', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await suite.buildWebhook(caller, { url: suite.receiver.url('/stopped') });
    suite.receiver.answer = () => ({ status: 500 });
    await suite.sending.publish(emailEvents.sent, projectId, [sent()]);
    await eventually(
      async () => (await suite.callsOf(caller, id))[0]?.attempt === 1,
      'the first attempt is over',
    );
    suite.receiver.answer = () => ({});
    await suite.bus.call(webhooks.update, caller, { id, status: 'PAUSED' });
    await suite.bus.call(webhooks.update, caller, { id, status: 'ACTIVE' });
    const [ended] = await suite.endedCalls(caller, id);
    expect(ended).toMatchObject({ status: 'FAILED', attempt: 1, error: 'The webhook was stopped' });
    expect(suite.receiver.on('/stopped')).toHaveLength(1);
  });

  it('is deleted with all its calls, and nobody else sees or changes it', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await suite.buildWebhook(caller, { url: suite.receiver.url('/deleted') });
    await suite.sending.publish(emailEvents.sent, projectId, [sent()]);
    const [call] = await suite.endedCalls(caller, id);
    const other = suite.buildProject().caller;
    const [from, to] = [new Date(0), new Date()];
    for (const attempt of [
      suite.bus.call(webhooks.get, other, { id }),
      suite.bus.call(webhooks.update, other, { id, status: 'PAUSED' }),
      suite.bus.call(webhooks.delete, other, { id }),
      suite.bus.call(webhooks.rotateSecret, other, { id }),
      suite.bus.call(webhooks.test, other, { id }),
      suite.bus.call(webhooks.calls, other, { id }),
      suite.bus.call(webhooks.replay, other, { id, callId: call!.id }),
      suite.bus.call(webhooks.replayRange, other, { id, from, to }),
    ])
      await expect(attempt).rejects.toMatchObject({ kind: 'not_found' });
    await suite.bus.call(webhooks.delete, caller, { id });
    await expect(suite.callsOf(caller, id)).rejects.toMatchObject({ kind: 'not_found' });
    await eventually(async () => {
      const left = await suite.database.query(
        `SELECT 1 FROM calls WHERE endpoint_id = $1 UNION ALL SELECT 1 FROM call_requests WHERE project_id = $2
         UNION ALL SELECT 1 FROM signing_secrets WHERE owner_id = $1`,
        [id, projectId],
      );
      return left.length === 0;
    }, 'its calls are gone');
  });
});

describe('the secret of webhook steps', () => {
  it('is made on demand, and its end is shown afterwards', async () => {
    const { caller } = suite.buildProject();
    expect(await suite.bus.call(projectWebhookSecrets.get, caller, {})).toEqual({ lastFour: null });
    const { secret } = await suite.bus.call(projectWebhookSecrets.rotate, caller, {});
    expect(await suite.bus.call(projectWebhookSecrets.get, caller, {})).toEqual({
      lastFour: secret.slice(-4),
    });
  });
});
