import { describe, expect, it } from '@jest/globals';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { withPosthorn } from '../testing/bad-input.js';

const suite = withPosthorn();
const done = async (method: string, path: string, body?: object) => {
  const answer = await suite.posthorn.request(method, `/api/v1/${path}`, body);
  if (answer.status >= 300) throw new Error(answer.text);
  return answer.body;
};

async function startOn(eventName: string): Promise<string> {
  const { id } = await done('POST', 'workflows', {
    name: eventName,
    trigger_type: 'EVENT',
    event_name: eventName,
  });
  const { steps } = await done('GET', `workflows/${id}/graph`);
  const mark = { id: newId(), name: 'mark', type: 'UPDATE_CONTACT', position: { x: 0, y: 0 } };
  await done('PUT', `workflows/${id}/graph`, {
    steps: [steps[0], { ...mark, config: { updates: { [eventName.replace('.', '_')]: true } } }],
    transitions: [
      { id: newId(), from_step_id: steps[0].id, to_step_id: mark.id, priority: 0, condition: null },
    ],
  });
  await done('POST', `workflows/${id}/resume`);
  return id as string;
}

const sends: readonly [string, (to: string) => Promise<unknown>][] = [
  ['v1', (to) => done('POST', 'emails', { to, subject: 'x', body: '<p>x</p>' })],
  [
    'a batch',
    (to) => done('POST', 'emails/batch', { emails: [{ to, subject: 'x', body: '<p>{{ contact.id }}</p>' }] }),
  ],
  [
    'the compatibility dialect',
    async (to) => {
      const { baseUrl, secretKey } = suite.posthorn.dev;
      const headers = { 'content-type': 'application/json', 'x-postmark-server-token': secretKey };
      const body = JSON.stringify({ From: 'hello@example.test', To: to, Subject: 'x', TextBody: 'x' });
      await fetch(`${baseUrl}/api/compat/postmark/email`, { method: 'POST', headers, body });
    },
  ],
];

describe('a workflow that starts with what becomes of mail', () => {
  it('starts for mail of every surface, and the e-mail names its contact', async () => {
    await startOn('email.delivery');
    await startOn('email.bounce');
    for (const [index, [, send]] of sends.entries()) await send(`new-${index}@example.org`);
    await sends[0]![1]('bounce@simulator.posthorn.test');
    for (const [index, [surface]] of sends.entries()) {
      const contact = await eventually(async () => {
        const { data } = await done('GET', `contacts?search=new-${index}`);
        return data[0] && JSON.parse(data[0].custom_fields).email_delivery === true ? data[0] : null;
      }, `it starts for ${surface}`);
      const { data } = await done('GET', `emails?to=new-${index}@example.org`);
      expect(data[0].contact_id).toBe(contact.id);
    }
    await eventually(async () => {
      const { data } = await done('GET', 'contacts?search=bounce@simulator');
      return data[0] && JSON.parse(data[0].custom_fields).email_bounce === true;
    }, 'it starts for a bounce');
  });
});
