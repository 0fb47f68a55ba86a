import { setTimeout as delay } from 'node:timers/promises';
import type { Reader } from './campaign-readers.js';
import { inTurns, type Tenant } from '../tenant.js';

const smallPerMinute = 600;
const suppressedAtOnce = 8;

export interface Launched {
  id: string;
  isCompared: boolean;
}

export async function makeAudience(tenant: Tenant, readers: readonly Reader[]): Promise<void> {
  await tenant.makeContacts(
    readers.map(({ email, subscribed, name }) => ({
      email,
      subscribed,
      custom_fields: { first_name: name },
    })),
  );
  const suppressed = readers.filter(({ kind }) => kind === 'suppressed');
  await inTurns(suppressed, suppressedAtOnce, ({ email }) =>
    tenant.surely('POST', '/api/v1/suppressions', { email }),
  );
}

/** One to everybody but a few at the general pace, and one with variants to these few at a rate of its own. */
export async function makeCampaigns(tenant: Tenant, readers: readonly Reader[]): Promise<Launched[]> {
  const make = async (path: string, body: object) =>
    (await tenant.surely('POST', `/api/v1/${path}`, body))['id'] as string;
  const few = await make('segments', { name: 'Compared', type: 'STATIC' });
  const emails = readers.flatMap(({ kind, email }) => (kind === 'compared' ? [email] : []));
  await tenant.surely('POST', `/api/v1/segments/${few}/members`, { emails });
  const template_id = await make('templates', {
    ...{ name: 'Spring', subject: 'News for {{ first_name }}', email_category: 'MARKETING' },
    body: `<p>Dear {{ first_name }}, <a href="https://shop.example/new">see what is new</a>.</p>
      <p><a href="{{ unsubscribe_url }}">Unsubscribe</a></p>`,
  });
  const shared = { template_id, email_category: 'MARKETING' };
  const large = await make('campaigns', {
    ...{ ...shared, name: 'large', audience_type: 'ALL', exclude_segment_ids: [few] },
  });
  const small = await make('campaigns', {
    ...{ ...shared, name: 'small', audience_type: 'SEGMENT', segment_id: few, send_rate: smallPerMinute },
    variants: ['A', 'B'].map((name) => ({ name, subject: `${name} for {{ first_name }}` })),
    test: { share: 50, winner_by: 'MANUAL', after_minutes: 10 },
  });
  return [
    { id: large, isCompared: false },
    { id: small, isCompared: true },
  ];
}

export async function send(tenant: Tenant, id: string): Promise<void> {
  await tenant.surely('POST', `/api/v1/campaigns/${id}/send`, undefined, { 'idempotency-key': `send-${id}` });
}

/** The rest of the audience waits for that. */
export async function chooseWinner(tenant: Tenant, id: string, afterMs: number): Promise<void> {
  await delay(afterMs);
  const { status, body } = await tenant.answered('POST', `/api/v1/campaigns/${id}/winner`, { variant: 'B' });
  // A try that was not answered may have chosen it.
  if (status !== 200 && status !== 409) throw new Error(`the winner was answered ${status}: ${body}`);
}
