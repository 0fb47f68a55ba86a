import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startEngineSuite, type EngineSuite } from '../testing/engine-suite.js';

let suite: EngineSuite;
beforeAll(async () => {
  suite = await startEngineSuite();
});
afterAll(() => suite.stop());

const mail = (subject: string, next: string) => ({
  type: 'SEND_EMAIL' as const,
  config: { subject, body: 'Hello' },
  next,
});

describe('a step', () => {
  it('hands over only what its texts use, however large the contact and the event are', async () => {
    const { caller, projectId } = suite.buildProject();
    const deep = { a: { b: { c: { d: 'deep' } } } };
    const { id: contactId } = suite.addContact(projectId, { plan: 'pro', deep, notes: 'x'.repeat(40_000) });
    const { id: workflowId } = await suite.enable(caller, {
      only: mail('Hi {{ contact.plan }}', 'used'),
      used: mail('{{ contact.data.deep.a }} {{ contact.data.notes }}', 'hook'),
      hook: { type: 'WEBHOOK', config: { url: 'https://169.254.169.254/{{ contact.plan }}' } },
    });
    const execution = await suite.start(caller, workflowId, contactId);
    const { reason } = await suite.until(caller, execution, 'FAILED');
    expect(reason).toBe('hook: The URL leads to an address that is not public');
    expect(suite.effected.sends.map(({ data }) => data)).toEqual([
      { contact: { plan: 'pro' } },
      { contact: { data: { deep: { a: deep.a }, notes: 'x'.repeat(40_000) } } },
    ]);
  });
});
