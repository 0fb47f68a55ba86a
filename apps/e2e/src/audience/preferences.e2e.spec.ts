import { describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import { withPosthorn } from '../testing/bad-input.js';
import { inboxMessages, rawMessage } from '../testing/inbox.js';

const suite = withPosthorn();
const email = 'reader@example.org';
const done = async (path: string, body?: unknown) => {
  const answer = await (body === undefined
    ? suite.posthorn.get(`/api/v1/${path}`)
    : suite.posthorn.post(`/api/v1/${path}`, body));
  if (answer.status >= 300) throw new Error(answer.text);
  return answer.body;
};
const membershipOf = async (listId: string) => (await done(`lists/${listId}/members`)).data[0].status;
const isSubscribed = async () => (await done('contacts?search=reader')).data[0].subscribed;

describe('the link of a campaign to a list', () => {
  it('leaves that list by one click, and its page has an undo and the rest', async () => {
    const [news, offers] = await Promise.all(['News', 'Offers'].map((name) => done('lists', { name })));
    for (const { id } of [news, offers]) await done(`lists/${id}/subscribe`, { email });
    const campaign = await done('campaigns', {
      name: 'Spring',
      subject: 'Spring',
      body: '<p>Hello</p>',
      from: 'news@example.test',
      audience_type: 'LIST',
      list_id: news.id,
    });
    await done(`campaigns/${campaign.id}/send`, {});
    const { id } = await eventually(
      async () => (await inboxMessages(suite.posthorn)).find(({ subject }) => subject === 'Spring'),
      'it arrives',
    );
    const raw = (await rawMessage(suite.posthorn, id)).replace(/=\r\n|\r\n(?=[ \t])/g, '');
    const link = /List-Unsubscribe: *<([^>]+)>/.exec(raw)![1]!;
    const url = suite.posthorn.dev.baseUrl + new URL(link).pathname;
    // The mail said nothing of leaving, so a footer does.
    expect(raw).toContain('because you subscribed to news from');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const submit = (body: string) => fetch(url, { method: 'POST', body, headers: form });
    expect((await fetch(url)).status).toBe(200);
    expect(await membershipOf(news.id)).toBe('CONFIRMED');
    expect((await submit('List-Unsubscribe=One-Click')).status).toBe(200);
    expect([await membershipOf(news.id), await membershipOf(offers.id), await isSubscribed()]).toEqual([
      'UNSUBSCRIBED',
      'CONFIRMED',
      true,
    ]);
    const page = await (await fetch(url)).text();
    for (const part of ['no longer on the list <strong>News', 'Offers', 'Unsubscribe from everything'])
      expect(page).toContain(part);
    expect(await (await submit(`do=join&list=${news.id}`)).text()).toContain('You are subscribed again');
    expect(await membershipOf(news.id)).toBe('CONFIRMED');
    await submit('do=leave&list=all');
    expect([await isSubscribed(), await membershipOf(offers.id)]).toEqual([false, 'CONFIRMED']);
    await submit('do=join&list=all');
    expect(await isSubscribed()).toBe(true);
  });
});
