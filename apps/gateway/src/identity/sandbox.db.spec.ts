import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emails, type Caller } from '@posthorn/contracts';
import { standIn } from '@posthorn/testing';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';

let suite: GatewaySuite;
let requested: Caller[] = [];
beforeAll(async () => {
  suite = await startGatewaySuite({ SANDBOX_DOMAIN: 'try.example' });
  await standIn(suite.connection, emails.check, (_, caller) => {
    requested.push(caller);
    return Promise.resolve({ accepted: null });
  });
});
afterAll(() => suite.stop());

/** The caller as sending receives it. */
async function callerOf(token: string): Promise<Caller> {
  requested = [];
  while (requested.length === 0)
    await suite.request('POST', '/api/emails', {
      key: token,
      body: { to: 'a@example.com', subject: 's', body: 'b' },
    });
  return requested[0]!;
}

describe('a TEST key', () => {
  it('has its sandbox and the verified addresses of the owners, at most a second old', async () => {
    const { projectId } = await suite.buildProject();
    const owners = [await suite.buildUser({ projectId }), await suite.buildUser({ projectId })];
    await suite.buildUser({ projectId, verified: false });
    await suite.buildUser({ projectId, role: 'ADMIN' });
    const { token } = await suite.buildKey(projectId, { mode: 'TEST' });
    const { sandbox } = await callerOf(token);
    expect(sandbox!.address).toMatch(/^p-[0-9a-f]{12}@try\.example$/);
    expect([...sandbox!.recipients].sort()).toEqual(owners.map(({ email }) => email).sort());
    await suite.database.query(`UPDATE members SET role = 'ADMIN' WHERE user_id = $1`, [owners[0]!.userId]);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await callerOf(token)).sandbox!.recipients).toEqual([owners[1]!.email]);
  });

  it('of a project without owners can reach nobody; a LIVE key has no sandbox', async () => {
    const { projectId } = await suite.buildProject();
    const [test, live] = [await suite.buildKey(projectId, { mode: 'TEST' }), await suite.buildKey(projectId)];
    expect((await callerOf(test.token)).sandbox!.recipients).toEqual([]);
    expect(await callerOf(live.token)).toMatchObject({ mode: 'LIVE' });
    expect(requested[0]).not.toHaveProperty('sandbox');
  });
});
