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
