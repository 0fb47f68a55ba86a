import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { apiKeys } from '@posthorn/contracts';
import type { RunningGateway } from '../service.js';
import { operatorOf, startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';

let suite: GatewaySuite;
let other: RunningGateway;
const began = performance.now();
beforeAll(async () => {
  suite = await startGatewaySuite();
  other = await suite.startAnother();
});
afterAll(() => suite.stop());

it('is written at most once a minute, whatever the number of gateways and requests', async () => {
  const { projectId } = await suite.buildProject();
  const { id, token } = await suite.buildKey(projectId);
  const lastUsed = async () =>
    (await suite.bus.call(apiKeys.list, operatorOf(projectId), {})).keys.find((key) => key.id === id)!
      .lastUsedAt;
  const come = async (gateway: Pick<RunningGateway, 'url'>) => {
    for (let times = 0; times < 20; times += 1)
      await suite.requestAt(gateway, 'GET', '/api/v1/contacts?no_such_name=1', { key: token });
  };
  await come(suite.gateway);
  const early = await lastUsed();
  if (performance.now() - began < 14_000) expect(early).toBeNull();
  await come(other);
  // A stopping gateway writes pending times.
  await other.stop();
  const first = await lastUsed();
  expect(first).toBeInstanceOf(Date);
  expect(first).toEqual(early ?? first);
  const third = await suite.startAnother();
  await come(third);
  await third.stop();
  expect(await lastUsed()).toEqual(first);
  await suite.database.query(
    `UPDATE api_keys SET last_used_at = last_used_at - interval '61 seconds' WHERE id = $1`,
    [id],
  );
  const fourth = await suite.startAnother();
  await come(fourth);
  await fourth.stop();
  expect((await lastUsed())!.getTime()).toBeGreaterThan(first!.getTime());
});
