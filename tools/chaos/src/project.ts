import { apiKeys, domains, projects, type Caller } from '@posthorn/contracts';
import { Bus, BusConnection } from '@posthorn/messaging';

const nobody = '00000000-0000-0000-0000-000000000000';
const patience = { timeoutMs: 20_000 };

/** A project that may send, and a key without a limit that would be felt. */
export async function makeProject(natsUrl: string): Promise<{ projectId: string; token: string }> {
  const connection = await BusConnection.open({ url: natsUrl, name: 'chaos' });
  try {
    const bus = new Bus(connection);
    const as = (projectId: string): Caller => ({ projectId, actor: { kind: 'OPERATOR', id: 'chaos' } });
    const { id: projectId } = await bus.call(projects.create, as(nobody), { name: 'Chaos' }, patience);
    await bus.call(projects.limit, as(projectId), { id: projectId, secretPerSecond: 1_000_000, publicPerSecond: null }, patience);
    await bus.call(domains.verify, as(projectId), { domain: 'chaos.test' }, patience);
    const { token } = await bus.call(apiKeys.create, as(projectId), { name: 'Chaos' }, patience);
    return { projectId, token };
  } finally {
    await connection.close();
  }
}
