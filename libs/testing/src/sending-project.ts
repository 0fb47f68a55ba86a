import { noProject, apiKeys, domains, projects, type Caller } from '@posthorn/contracts';
import { BusConnection } from '@posthorn/messaging';
import { slowBus } from './slow-bus.js';

export interface SendingProject {
  projectId: string;
  token: string;
  domain: string;
}

/** A project that may send, created like an operator would, with a key and its limit. */
export async function makeSendingProject(
  natsUrl: string,
  name: string,
  perSecond = 1_000_000,
): Promise<SendingProject> {
  const connection = await BusConnection.open({ url: natsUrl, name });
  try {
    const bus = slowBus(connection);
    const as = (projectId: string): Caller => ({ projectId, actor: { kind: 'OPERATOR', id: name } });
    const { id: projectId } = await bus.call(projects.create, as(noProject), { name });
    const domain = `${name}-${projectId.slice(-8)}.test`;
    await bus.call(projects.limit, as(projectId), {
      id: projectId,
      secretPerSecond: perSecond,
      publicPerSecond: null,
    });
    await bus.call(domains.verify, as(projectId), { domain });
    const { token } = await bus.call(apiKeys.create, as(projectId), { name });
    return { projectId, token, domain };
  } finally {
    await connection.close();
  }
}
