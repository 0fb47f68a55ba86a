import { nthReader, type Audience } from '../../campaigns/audiences.js';
import type { Ledgers } from '../../campaigns/ledgers.js';
import { call } from '../calls.js';
import type { Step } from '../recorded-calls.js';
import { deletionsOfUnused } from '../unused-references.js';
import { forgetStatistics, type StoredLedgers } from './ledger-rows.js';
import { addressContains, type Groups } from './lists.js';

interface Made {
  id: string;
}

interface PlannedCampaigns extends Groups {
  audience: Audience;
  ledgers: Ledgers;
  stored: StoredLedgers;
}

const launchMs = 60_000;

/** Every route of campaigns, in an order in which each has something to work on; launches are waited for until everybody has an outcome. */
export async function campaignSteps(planned: PlannedCampaigns): Promise<Step[]> {
  return [
    ...(await listSteps(planned)),
    ...(await ledgerSteps(planned)),
    ...(await draftSteps(planned)),
    ...(await launchSteps(planned)),
    ...(await timedSteps(planned)),
    ...(await resendSteps(planned)),
    ...withoutStatistics(planned, largeSteps(planned)),
    ...(await useSteps(planned)),
    ...(await erasureSteps(planned)),
  ];
}

/** Of a ledger that is younger than a minute Postgres knows nothing: no plan of the work on it may depend on that. */
const withoutStatistics = ({ ledgers }: PlannedCampaigns, [first, ...others]: Step[]): Step[] =>
  [{ ...first!, prepare: () => forgetStatistics(ledgers.client) }, ...others].map((step) => ({
    ...step,
    call: { ...step.call, name: `${step.call.name}, without statistics` },
  }));

const draftOf = (
  { audience: { api, template } }: Pick<PlannedCampaigns, 'audience'>,
  more: object,
): Promise<Made> => api.post<Made>('/api/v1/campaigns', { name: 'Draft', template_id: template, ...more });
const toList = (listId: string) => ({ audience_type: 'LIST', list_id: listId });
const read = (name: string, path: string): Step => ({ call: call(name, 'GET', path) });

async function listSteps({ audience: { api } }: PlannedCampaigns): Promise<Step[]> {
  const { next_cursor: cursor } = await api.get<{ next_cursor: string }>('/api/v1/campaigns?limit=100');
  return [
    read('first page of campaigns', 'campaigns?limit=100'),
    read('a later page', `campaigns?limit=100&after=${encodeURIComponent(cursor)}`),
    read('campaigns of a frequent status', 'campaigns?limit=100&status=SENT'),
    read('campaigns of a rare status', 'campaigns?limit=100&status=PAUSED'),
    read('campaigns of no status', 'campaigns?limit=100&status=SCHEDULED'),
    read('search that finds one', 'campaigns?limit=100&search=campaign 1234'),
    read('search that finds none', 'campaigns?limit=100&search=nothing at all'),
    {
      call: { ...call('search with its total', 'GET', ''), path: '/api/campaigns?limit=100&search=campaign' },
    },
    { call: { ...call('page with its total', 'GET', ''), path: '/api/campaigns?limit=100' } },
    read('overview', 'analytics/campaigns'),
    read('the best campaigns', 'analytics/top-campaigns?limit=50'),
  ];
}

async function ledgerSteps({ audience: { api }, stored }: PlannedCampaigns): Promise<Step[]> {
  const { mixed, begun, sent, skippedContact } = stored;
  const path = `campaigns/${mixed}/recipients?limit=100`;
  const { next_cursor: cursor } = await api.get<{ next_cursor: string }>(`/api/v1/${path}`);
  const later = `&after=${encodeURIComponent(cursor)}`;
  return [
    read('one campaign', `campaigns/${mixed}`),
    read('its report', `campaigns/${mixed}/stats`),
    read('its progress', `campaigns/${mixed}/progress`),
    read('its failures', `campaigns/${mixed}/failures?limit=100`),
    read('failures of a campaign without', `campaigns/${begun}/failures?limit=100`),
    read('its recipients', path),
    read('a later page of recipients', `${path}${later}`),
    ...['QUEUED', 'SENT', 'SKIPPED', 'FAILED'].map((outcome) =>
      read(`recipients that are ${outcome}`, `${path}&outcome=${outcome}`),
    ),
    ...['unsubscribed', 'excluded', 'frequency_cap', 'hard_bounce', 'rendering'].map((reason) =>
      read(`recipients with the reason ${reason}`, `${path}&reason=${reason}`),
    ),
    read('the few who were sent to', `campaigns/${begun}/recipients?limit=100&outcome=SENT`),
    read('the few who were excluded', `campaigns/${begun}/recipients?limit=100&reason=excluded`),
    read('the few who failed', `campaigns/${sent}/recipients?limit=100&outcome=FAILED`),
    read('nobody who waits', `campaigns/${sent}/recipients?limit=100&outcome=QUEUED`),
    read('nobody who was skipped', `campaigns/${sent}/recipients?limit=100&outcome=SKIPPED`),
    read('one recipient', `campaigns/${mixed}/recipients/${skippedContact}`),
  ];
}

async function draftSteps(planned: PlannedCampaigns): Promise<Step[]> {
  const { audience, small, matching } = planned;
  const [changed, gone, tried] = [
    await draftOf(planned, { audience_type: 'ALL' }),
    await draftOf(planned, { audience_type: 'ALL' }),
    await draftOf(planned, toList(small)),
  ];
  const posting = (name: string, path: string, body?: object): Step => ({
    call: call(name, 'POST', path, body),
  });
  return [
    posting('create', 'campaigns', { name: 'New', template_id: audience.template, ...toList(small) }),
    {
      call: call('change', 'PATCH', `campaigns/${changed.id}`, {
        ...{ audience_type: 'SEGMENT', segment_id: matching },
        exclude_list_ids: [small],
      }),
    },
    posting('copy', `campaigns/${changed.id}/clone`),
    { call: call('deletion of a draft', 'DELETE', `campaigns/${gone.id}`) },
    posting('dry run', `campaigns/${tried.id}/dry-run`),
    posting('schedule', `campaigns/${changed.id}/send`, {
      scheduled_for: new Date(Date.now() + 86_400_000).toISOString(),
    }),
    posting('cancellation of a schedule', `campaigns/${changed.id}/cancel`),
  ];
}

async function launchSteps(planned: PlannedCampaigns): Promise<Step[]> {
  const { large, small, segment, matching } = planned;
  const audiences: Record<string, object> = {
    'a list': toList(small),
    'a segment by hand': { audience_type: 'SEGMENT', segment_id: segment },
    'a list and no member of another': {
      ...toList(small),
      exclude_list_ids: [large],
      exclude_segment_ids: [matching],
    },
    'a condition': { audience_type: 'FILTERED', audience_condition: addressContains('reader-1234') },
  };
  const steps: Step[] = [];
  for (const [name, audience] of Object.entries(audiences)) {
    const { id } = await draftOf(planned, audience);
    steps.push({
      call: call(`launch for ${name}`, 'POST', `campaigns/${id}/send`),
      settle: () => untilSent(planned, id),
    });
  }
  for (const [name, audience] of Object.entries({
    'all contacts': { audience_type: 'ALL' },
    'half of them': toList(large),
    'a tracked segment': { audience_type: 'SEGMENT', segment_id: matching },
  })) {
    const { id } = await draftOf(planned, { ...audience, send_rate: 60 });
    steps.push(
      { call: { ...call(`launch for ${name}`, 'POST', `campaigns/${id}/send`), waits: true } },
      { call: { ...call(`cancellation of it, ${name}`, 'POST', `campaigns/${id}/cancel`), waits: true } },
    );
  }
  return [...steps, ...(await variantSteps(planned))];
}

async function variantSteps(planned: PlannedCampaigns): Promise<Step[]> {
  const { id } = await draftOf(planned, {
    ...toList(planned.small),
    variants: ['A', 'B'].map((name) => ({ name, subject: `Subject ${name}` })),
    test: { share: 50, winner_by: 'MANUAL', after_minutes: 10 },
  });
  return [
    { call: { ...call('launch of variants', 'POST', `campaigns/${id}/send`), waits: true } },
    read('their report', `campaigns/${id}/stats`),
    {
      call: call('choice of the winner', 'POST', `campaigns/${id}/winner`, { variant: 'B' }),
      settle: () => untilSent(planned, id),
    },
  ];
}

/** Who is due, and who is put off because it is night where he is. */
async function timedSteps(planned: PlannedCampaigns): Promise<Step[]> {
  const hour = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
  const [awake, asleep] = [
    { from: hour(3), to: hour(4) },
    { from: hour(-1), to: hour(2) },
  ];
  const timed = (quiet_hours: object) =>
    draftOf(planned, { ...toList(planned.small), timing: { quiet_hours, time_zone_field: 'zone' } });
  const [now, later] = [await timed(awake), await timed(asleep)];
  return [
    {
      call: call('launch with quiet hours', 'POST', `campaigns/${now.id}/send`),
      settle: () => untilSent(planned, now.id),
    },
    { call: { ...call('launch in quiet hours', 'POST', `campaigns/${later.id}/send`), waits: true } },
    { call: { ...call('cancellation in quiet hours', 'POST', `campaigns/${later.id}/cancel`), waits: true } },
  ];
}

/** To those of the large ledger who did not open it; and its public copy. */
async function resendSteps(planned: PlannedCampaigns): Promise<Step[]> {
  const { audience, stored } = planned;
  const again = await audience.api.post<Made>(`/api/v1/campaigns/${stored.sent}/resend`, {});
  const posting = (name: string, path: string): Step => ({
    call: { ...call(name, 'POST', `campaigns/${path}`), waits: true },
  });
  return [
    posting('launch of a resend', `${again.id}/send`),
    posting('cancellation of a resend', `${again.id}/cancel`),
    posting('publication', `${stored.sent}/archive`),
    read('the link of a public copy', `campaigns/${stored.sent}/archive`),
  ];
}

/** Hand-over, results and stops in the ledger with a million rows. */
function largeSteps(planned: PlannedCampaigns): Step[] {
  const { mixed, begun, sent } = planned.stored;
  const transition = (name: string, id: string, path: string): Step => ({
    call: { ...call(name, 'POST', `campaigns/${id}/${path}`), waits: true },
  });
  return [
    transition('resumption, with what was in hand', mixed, 'resume'),
    transition('pause', mixed, 'pause'),
    transition('another resumption', mixed, 'resume'),
    transition('cancellation', mixed, 'cancel'),
    transition('resumption of one that has begun', begun, 'resume'),
    transition('cancellation of it', begun, 'cancel'),
    {
      ...transition('failed mail once more', sent, 'retry-failed'),
      settle: () => untilSent(planned, sent),
    },
  ];
}

async function useSteps({ audience: { api } }: PlannedCampaigns): Promise<Step[]> {
  const domain = await api.post<Made>('/api/v1/domains', { domain: 'gone-soon.example' });
  return [
    ...(await deletionsOfUnused(api)),
    { call: call('deletion of a domain', 'DELETE', `domains/${domain.id}`) },
  ];
}

/** Of a member of the small list, who got several campaigns. */
async function erasureSteps({ audience: { api, contacts } }: PlannedCampaigns): Promise<Step[]> {
  const { data } = await api.get<{ data: Made[] }>(
    `/api/v1/contacts?search=${encodeURIComponent(nthReader(contacts - 5))}`,
  );
  const path = `contacts/${data[0]!.id}`;
  return [{ call: { ...call('deletion of a contact', 'DELETE', path), waits: true } }];
}

const untilSent = ({ audience, ledgers }: PlannedCampaigns, id: string): Promise<unknown> =>
  ledgers.until(audience.api.projectId, id, ({ status }) => status === 'SENT', launchMs);
