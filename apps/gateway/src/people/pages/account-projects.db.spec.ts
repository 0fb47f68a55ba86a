import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startGatewaySuite, type GatewaySuite } from '../../testing/gateway-suite.js';

let suite: GatewaySuite;
beforeAll(async () => {
  suite = await startGatewaySuite();
});
afterAll(() => suite.stop());

/** The text of the page, without its markup. */
const accountOf = async (as: Parameters<GatewaySuite['request']>[2]) =>
  (await suite.request('GET', '/account', as)).text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

describe('the account page', () => {
  it('lists the projects of the person with role and keys, and nobody else’s', async () => {
    const [{ projectId }, other] = [await suite.buildProject(), await suite.buildProject()];
    const [key, foreign] = [await suite.buildKey(projectId), await suite.buildKey(other.projectId)];
    const owner = await suite.buildUser({ projectId });
    const text = await accountOf({ as: owner });
    expect(text).toContain('Projects');
    expect(text).toContain('Owner');
    expect(text).toContain(`…${key.token.slice(-4)}`);
    expect(text).toContain('never used');
    expect(text).not.toContain(`…${foreign.token.slice(-4)}`);
    expect(text).not.toContain(key.token);
  });

  it('says what somebody who finds a public key can do with it', async () => {
    const { projectId } = await suite.buildProject();
    const open = { legacyGrantPreset: 'SENDING_ONLY' } as const;
    await suite.buildKey(projectId, open);
    await suite.buildKey(projectId, {
      ...open,
      confine: { subscribeOnly: true, origins: ['https://shop.example', 'https://www.shop.example'] },
    });
    await suite.buildKey(projectId, { ...open, confine: { recipients: 'CONTACTS' } });
    const text = await accountOf({ as: await suite.buildUser({ projectId }) });
    for (const reach of [
      'public, sends anything to anybody · never used',
      'public, subscribes only, on https://shop.example, https://www.shop.example · never used',
      'public, sends anything to contacts · never used',
    ])
      expect(text).toContain(reach);
  });

  it('shows no keys to a member whose role may not see them', async () => {
    const { projectId } = await suite.buildProject();
    const key = await suite.buildKey(projectId);
    const member = await suite.buildUser({ projectId, role: 'MEMBER' });
    const text = await accountOf({ as: member });
    expect(text).toContain('Member');
    expect(text).not.toContain(`…${key.token.slice(-4)}`);
  });

  it('says so where there is no project', async () => {
    expect(await accountOf({ as: await suite.buildUser() })).toContain(
      'You are not a member of any project yet.',
    );
  });
});
