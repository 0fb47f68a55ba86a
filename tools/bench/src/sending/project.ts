import { domains, type Caller } from '@posthorn/contracts';
import { Bus, BusConnection } from '@posthorn/messaging';
import { makeSendingProject, type SendingProject } from '@posthorn/testing';
import { Api } from '../audience/api.js';
import { newsletter } from '../mail.js';
import { benchLimit, type Servers } from '../product.js';

export const makeProject = ({ natsUrl }: Servers): Promise<SendingProject> =>
  makeSendingProject(natsUrl, 'sending', benchLimit);

export async function makeNewsletter(url: string, token: string): Promise<string> {
  const template = { ...newsletter, email_category: 'TRANSACTIONAL' };
  return (await new Api(url, token).post<{ id: string }>('/api/v1/templates', template)).id;
}

/** With both keys, as a domain that verified itself. */
export async function signMail({ natsUrl }: Servers, projectId: string, domain: string): Promise<void> {
  await asOperator(natsUrl, projectId, (bus, caller) =>
    bus.call(domains.verify, caller, { domain, signed: true }, { timeoutMs: 20_000 }),
  );
}

/** What only an operator may do. */
export async function asOperator<T>(
  natsUrl: string,
  projectId: string,
  work: (bus: Bus, caller: Caller) => Promise<T>,
): Promise<T> {
  const connection = await BusConnection.open({ url: natsUrl, name: 'bench' });
  const caller: Caller = { projectId, actor: { kind: 'OPERATOR', id: 'bench' } };
  return work(new Bus(connection), caller).finally(() => connection.close());
}
