import { domains, type Caller } from '@posthorn/contracts';
import { Bus, BusConnection } from '@posthorn/messaging';
import { makeSendingProject, type SendingProject } from '@posthorn/testing';
import { benchLimit, type Servers } from '../product.js';
import { newsletter } from './newsletter.js';

export const makeProject = ({ natsUrl }: Servers): Promise<SendingProject> =>
  makeSendingProject(natsUrl, 'sending', benchLimit);

export async function makeNewsletter(url: string, token: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/templates`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...newsletter, email_category: 'TRANSACTIONAL' }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the newsletter was answered ${answer.status}: ${text}`);
  return (JSON.parse(text) as { id: string }).id;
}

/** With both keys, as a domain that verified itself. */
export async function signMail({ natsUrl }: Servers, projectId: string, domain: string): Promise<void> {
  const connection = await BusConnection.open({ url: natsUrl, name: 'bench' });
  const caller: Caller = { projectId, actor: { kind: 'OPERATOR', id: 'bench' } };
  await new Bus(connection).call(domains.verify, caller, { domain, signed: true }, { timeoutMs: 20_000 });
  await connection.close();
}
