import { describe, expect, it } from '@jest/globals';
import { prefixes, surfaces, withPosthorn } from '../testing/bad-input.js';

const suite = withPosthorn();

interface Frame {
  id: string;
  event: string;
  data: { id: string; type: string; data: Record<string, unknown> };
}

/** Reads until an event of the type that concerns the address. */
async function readUntil(response: Response, type: string, address: string): Promise<Frame[]> {
  const frames: Frame[] = [];
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of response.body!) {
    text += decoder.decode(part as Uint8Array, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) {
      const [, id, event, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(block) ?? [];
      if (data) frames.push({ id: id!, event: event!, data: JSON.parse(data) as Frame['data'] });
    }
    const isThere = ({ event, data }: Frame) => event === type && JSON.stringify(data).includes(address);
    if (frames.some(isThere)) return frames;
  }
  throw new Error('the stream ended');
}

describe('the live stream', () => {
  const open = async (path: string, signal: AbortSignal, lastEventId?: string): Promise<Response> => {
    const { dev } = suite.posthorn;
    return fetch(`${dev.baseUrl}${path}`, {
      signal,
      headers: {
        authorization: `Bearer ${dev.secretKey}`,
        accept: 'text/event-stream',
        ...(lastEventId ? { 'last-event-id': lastEventId } : {}),
      },
    });
  };

  it.each(surfaces)('shows mail and contacts as they happen, and resumes, on %s', async (surface) => {
    const { posthorn } = suite;
    const path = `${prefixes[surface]}/stream`;
    const abort = new AbortController();
    const email = `ada@stream-${surface}.example`;
    const reader = await open(path, abort.signal);
    expect(reader.status).toBe(200);
    await posthorn.post('/api/v1/contacts', { email });
    const [created] = (await readUntil(reader, 'contact.created', email)).slice(-1);
    expect(created!.data.data).toMatchObject({ email, subscribed: true });
    await posthorn.post('/api/v1/emails', { to: email, subject: 'Hello', body: '<p>Hello</p>' });
    abort.abort();
    const second = new AbortController();
    const resumed = await open(`${path}?types=email.sent,contact.created`, second.signal, created!.id);
    const sent = await readUntil(resumed, 'email.sent', email);
    expect(sent.map(({ event }) => event)).not.toContain('contact.created');
    expect(sent.at(-1)!.data.data).toMatchObject({ to: email, subject: 'Hello' });
    second.abort();
  });

  it.each(surfaces)(
    'shows the end of a workflow under the id of its webhook call, on %s',
    async (surface) => {
      const { posthorn } = suite;
      const email = `ada@ended-${surface}.example`;
      const { body: contact } = await posthorn.post('/api/v1/contacts', { email });
      const { body: webhook } = await posthorn.post('/api/v1/webhooks', {
        url: 'https://shop.example/hooks',
        event_types: ['workflow.completed'],
      });
      const { body: workflow } = await posthorn.post('/api/v1/workflows', {
        name: 'Welcome',
        trigger_type: 'MANUAL',
      });
      await posthorn.post(`/api/v1/workflows/${workflow.id}/resume`, {});
      const abort = new AbortController();
      const path = `${prefixes[surface]}/stream?types=workflow.completed,workflow.failed`;
      const reader = await open(path, abort.signal);
      await posthorn.post(`/api/v1/workflows/${workflow.id}/executions`, { contact_id: contact.id });
      const [ended] = (await readUntil(reader, 'workflow.completed', email)).slice(-1);
      abort.abort();
      expect(ended!.data.data).toMatchObject({
        workflow: { id: workflow.id, name: 'Welcome' },
        contact: { id: contact.id, email },
      });
      const { body: calls } = await posthorn.get(`/api/v1/webhooks/${webhook.id}/calls`);
      expect((calls.data as { payload: { id: string } }[])[0]!.payload.id).toBe(ended!.data.id);
    },
  );

  it.each(surfaces)('refuses unknown types and ids of nothing, on %s', async (surface) => {
    const { posthorn } = suite;
    const path = `${prefixes[surface]}/stream`;
    const unknown = await posthorn.get(`${path}?types=email.lost`);
    expect([unknown.status, unknown.text]).toEqual([422, expect.stringContaining('types')]);
    const ofNothing = await posthorn.get(path, { 'last-event-id': 'AAAA' });
    expect([ofNothing.status, ofNothing.text]).toEqual([
      422,
      expect.stringContaining('Last-Event-ID is not an id of this stream'),
    ]);
  });
});
