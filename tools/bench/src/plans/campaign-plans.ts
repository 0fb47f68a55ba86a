import type pg from 'pg';
import type { Bench } from '../bench.js';
import { makeAudiences, nthReader, type Audience } from '../campaigns/audiences.js';
import { untilReached } from '../campaigns/campaigns.js';
import { databaseOf, inDatabase, withoutIndexes } from '../databases.js';
import { Product, type Servers } from '../product.js';
import { forgetStatistics, fractionOfOthers, storeLedgers, type StoredLedgers } from './campaign-rows.js';
import {
  deletionsOfUnused,
  followed,
  legacy,
  patch,
  post,
  read,
  recordPlans,
  remove,
  type Made,
  type Step,
} from './recorded-calls.js';

/** Every statement of campaigns, and of contacts for them; fails where a request reads a whole table, or most of one ledger. */
export async function writeCampaignPlans(bench: Bench): Promise<void> {
  const { servers, scale } = bench;
  const contacts = scale.audiences.at(-1)!;
  await Product.during(servers, {}, async (product) => {
    const [audience] = await makeAudiences(servers, product, [contacts]);
    const groups = await makeGroups(servers, audience!);
    const stored = await storeLedgers(servers, audience!);
    await inDatabase(databaseOf(servers.databaseUrl, 'campaigns'), (client) =>
      recordPlans(bench, product, {
        services: ['campaigns', 'contacts'],
        page: 'dist/campaign-plans.md',
        head: {
          script: 'npm run plans:campaigns',
          title: 'Plans of campaigns',
          text: `Every statement that the campaigns and contacts services asked while each route of campaigns was called, in a project of ${contacts} contacts and thousands of campaigns, one of
which has a ledger of ${contacts} rows; three ledgers beside it have a quarter as many. What follows of a call by itself, as freeze, hand-over and results, stands with it.`,
        },
        api: audience!.api,
        steps: () => campaignSteps({ ...groups, audience: audience!, client, stored }),
        parts: { recipients: Math.floor(contacts / fractionOfOthers) },
      }),
    );
  });
}

interface PlannedCampaigns extends Groups {
  audience: Audience;
  client: pg.Client;
  stored: StoredLedgers;
}

const launchMs = 60_000;

/** Every route of campaigns, in an order in which each has something to work on; launches are waited for until everybody has an outcome. */
async function campaignSteps(planned: PlannedCampaigns): Promise<Step[]> {
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
const withoutStatistics = ({ client }: PlannedCampaigns, [first, ...others]: Step[]): Step[] =>
  [{ ...first!, prepare: () => forgetStatistics(client) }, ...others].map((step) => ({
    ...step,
    name: `${step.name}, without statistics`,
  }));

const draftOf = (
  { audience: { api, template } }: Pick<PlannedCampaigns, 'audience'>,
  more: object,
): Promise<Made> => api.post<Made>('/api/v1/campaigns', { name: 'Draft', template_id: template, ...more });
const toList = (listId: string) => ({ audience_type: 'LIST', list_id: listId });

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
    legacy('search with its total', 'campaigns?limit=100&search=campaign'),
    legacy('page with its total', 'campaigns?limit=100'),
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
  return [
    post('create', 'campaigns', { name: 'New', template_id: audience.template, ...toList(small) }),
    patch('change', `campaigns/${changed.id}`, {
      audience_type: 'SEGMENT',
      segment_id: matching,
      exclude_list_ids: [small],
    }),
    post('copy', `campaigns/${changed.id}/clone`),
    remove('deletion of a draft', `campaigns/${gone.id}`),
    post('dry run', `campaigns/${tried.id}/dry-run`),
    post('schedule', `campaigns/${changed.id}/send`, {
      scheduled_for: new Date(Date.now() + 86_400_000).toISOString(),
    }),
    post('cancellation of a schedule', `campaigns/${changed.id}/cancel`),
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
    steps.push(untilSent(planned, id, post(`launch for ${name}`, `campaigns/${id}/send`)));
  }
  for (const [name, audience] of Object.entries({
    'all contacts': { audience_type: 'ALL' },
    'half of them': toList(large),
    'a tracked segment': { audience_type: 'SEGMENT', segment_id: matching },
  })) {
    const { id } = await draftOf(planned, { ...audience, send_rate: 60 });
    steps.push(
      followed(post(`launch for ${name}`, `campaigns/${id}/send`)),
      followed(post(`cancellation of it, ${name}`, `campaigns/${id}/cancel`)),
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
    followed(post('launch of variants', `campaigns/${id}/send`)),
    read('their report', `campaigns/${id}/stats`),
    untilSent(planned, id, post('choice of the winner', `campaigns/${id}/winner`, { variant: 'B' })),
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
    untilSent(planned, now.id, post('launch with quiet hours', `campaigns/${now.id}/send`)),
    followed(post('launch in quiet hours', `campaigns/${later.id}/send`)),
    followed(post('cancellation in quiet hours', `campaigns/${later.id}/cancel`)),
  ];
}

/** To those of the large ledger who did not open it; and its public copy. */
async function resendSteps(planned: PlannedCampaigns): Promise<Step[]> {
  const { audience, stored } = planned;
  const again = await audience.api.post<Made>(`/api/v1/campaigns/${stored.sent}/resend`, {});
  return [
    followed(post('launch of a resend', `campaigns/${again.id}/send`)),
    followed(post('cancellation of a resend', `campaigns/${again.id}/cancel`)),
    followed(post('publication', `campaigns/${stored.sent}/archive`)),
    read('the link of a public copy', `campaigns/${stored.sent}/archive`),
  ];
}

/** Hand-over, results and stops in the ledger with a million rows. */
function largeSteps(planned: PlannedCampaigns): Step[] {
  const { mixed, begun, sent } = planned.stored;
  const transition = (name: string, id: string, path: string): Step =>
    followed(post(name, `campaigns/${id}/${path}`));
  return [
    transition('resumption, with what was in hand', mixed, 'resume'),
    transition('pause', mixed, 'pause'),
    transition('another resumption', mixed, 'resume'),
    transition('cancellation', mixed, 'cancel'),
    transition('resumption of one that has begun', begun, 'resume'),
    transition('cancellation of it', begun, 'cancel'),
    untilSent(planned, sent, transition('failed mail once more', sent, 'retry-failed')),
  ];
}

async function useSteps({ audience: { api } }: PlannedCampaigns): Promise<Step[]> {
  const domain = await api.post<Made>('/api/v1/domains', { domain: 'gone-soon.example' });
  return [...(await deletionsOfUnused(api)), remove('deletion of a domain', `domains/${domain.id}`)];
}

/** Of a member of the small list, who got several campaigns. */
async function erasureSteps({ audience: { api, contacts } }: PlannedCampaigns): Promise<Step[]> {
  const { data } = await api.get<{ data: Made[] }>(
    `/api/v1/contacts?search=${encodeURIComponent(nthReader(contacts - 5))}`,
  );
  const path = `contacts/${data[0]!.id}`;
  return [followed(remove('deletion of a contact', path))];
}

const untilSent = ({ audience: { api }, client }: PlannedCampaigns, id: string, step: Step): Step => ({
  ...step,
  settle: () => untilReached(client, api.projectId, id, ({ status }) => status === 'SENT', launchMs),
});

interface Groups {
  /** Half of all contacts. */
  large: string;
  small: string;
  /** A segment with a few members. */
  segment: string;
  /** One whose condition matches thousands. */
  matching: string;
}

const smallList = 200;

/** Lists and segments that campaigns are sent to. */
async function makeGroups(servers: Servers, { api, contacts }: Audience): Promise<Groups> {
  const [large, small] = [
    await api.post<Made>('/api/v1/lists', { name: 'Half' }),
    await api.post<Made>('/api/v1/lists', { name: 'Few' }),
  ];
  await inDatabase(databaseOf(servers.databaseUrl, 'contacts'), async (client) => {
    await withoutIndexes(client, ['memberships'], async () => {
      for (const [list, members] of [
        [large, Math.floor(contacts / 2)],
        [small, smallList],
      ] as const)
        await client.query(membersSql(list === large), [api.projectId, list.id, members]);
    });
    await client.query(
      `INSERT INTO list_counts (project_id, list_id, pending, confirmed, unsubscribed)
       SELECT project_id, list_id, 0, count(*), 0 FROM memberships WHERE project_id = $1 GROUP BY 1, 2`,
      [api.projectId],
    );
  });
  const segment = await api.post<Made>('/api/v1/segments', { name: 'By hand', type: 'STATIC' });
  await api.post(`/api/v1/segments/${segment.id}/members`, {
    emails: Array.from({ length: 100 }, (_, n) => nthReader(1_000 + n)),
  });
  const matching = await api.post<Made>('/api/v1/segments', {
    name: 'By condition',
    type: 'DYNAMIC',
    track_membership: true,
    condition: addressContains('reader-12'),
  });
  return { large: large.id, small: small.id, segment: segment.id, matching: matching.id };
}

const addressContains = (value: string): object => ({
  logic: 'AND',
  groups: [{ filters: [{ field: 'email', operator: 'contains', value }] }],
});

/** The large list has the first contacts, the small one the last. */
const membersSql = (
  isFirst: boolean,
): string => `INSERT INTO memberships (project_id, list_id, contact_id, id, status, created_at, updated_at)
  SELECT project_id, $2::uuid, id, uuidv7(), 'CONFIRMED', now(), now() FROM contacts WHERE project_id = $1 ORDER BY id ${isFirst ? 'ASC' : 'DESC'} LIMIT $3`;
