import type { ServiceName } from '@posthorn/contracts';
import { eventually } from '@posthorn/testing';
import type { Operation } from './api-document.js';
import { signIn, type Person } from './people.js';
import type { Answer, RunningPosthorn } from './running-posthorn.js';

/** The project in which resources are made. */
export interface MakersProject {
  readonly posthorn: RunningPosthorn;
  readonly id: string;
  readonly owner: Person;
  joined(): Promise<string>;
  requested(method: string, path: string, body: object | undefined, as: 'key' | Person): Promise<Answer>;
  write(service: ServiceName, sql: string, values: unknown[]): Promise<void>;
}

/** A resource with an id. */
export interface Made {
  id: string;
  /** The token of its link, if it is read through one. */
  link?: string;
}

type Maker = (project: MakersProject) => Promise<Made>;

/** Creates resources by the noun before their id in a path. */
const made: Record<string, Maker> = {
  // Scheduled, so that it can be cancelled.
  emails: created('emails', () => ({
    to: 'ada@example.com',
    subject: 'Hello',
    body: '<p>Hi</p>',
    scheduled_at: tomorrow(),
  })),
  contacts: created('contacts', () => ({ email: uniqueAddress() })),
  erasures: erased,
  lists: created('lists', () => ({ name: 'News' })),
  campaigns: created('campaigns', newCampaign),
  'sending-campaigns': campaignIn('SENDING'),
  'paused-campaigns': campaignIn('PAUSED'),
  'sent-campaigns': campaignIn('SENT'),
  'campaign-recipients': recipientOf,
  'compared-campaigns': comparedCampaign,
  workflows: created('workflows', newWorkflow),
  'enabled-workflows': enabledWorkflow,
  'waiting-executions': executionThat('WAITING'),
  'failed-executions': executionThat('FAILED'),
  webhooks: newWebhook,
  'webhook-calls': failedCall,
  domains: storedDomain,
  suppressions: suppress,
  suppression: suppress,
  // An address that something is known of.
  recipients: suppress,
  imports: imported('suppressions/import', 'suppressions/imports'),
  'contact-imports': imported('contacts/imports', 'contacts/imports'),
  'email-validations': created('email-validations', () => ({ emails: ['no address'] })),
  templates: created('templates', () => ({
    name: 'Welcome',
    subject: 'Welcome',
    body: '<p>Good to have you.</p>',
  })),
  snippets: created('snippets', () => ({ name: uniqueName(), body: '<p>Kind regards</p>' })),
  topics: created('topics', () => ({ key: uniqueKey(), name: 'Offers' })),
  segments: created('segments', () => ({ name: uniqueName(), type: 'STATIC' })),
  'api-keys': makeKey,
  invitations: invite,
  members: async (project) => ({ id: await project.joined() }),
  sessions: beginSession,
};

export const nouns = Object.keys(made);

/** In which status a campaign must be for these. */
const campaignsFor: Readonly<Record<string, string>> = {
  pause: 'sending-campaigns',
  cancel: 'sending-campaigns',
  resume: 'paused-campaigns',
  'retry-failed': 'sent-campaigns',
  resend: 'sent-campaigns',
  winner: 'compared-campaigns',
  archive: 'compared-campaigns',
};
const executionsFor: Readonly<Record<string, string>> = {
  cancel: 'waiting-executions',
  retry: 'failed-executions',
  'skip-wait': 'waiting-executions',
};
let count = 0;

export const tomorrow = (): string => new Date(Date.now() + 86_400_000).toISOString();

/** A development domain, which is verified at once. */
export const uniqueDomain = (text: string): string => `${text}-${(count += 1)}.example.test`;
export const uniqueAddress = (): string => `reader-${(count += 1)}@example.com`;

export const uniqueName = (): string => `footer-${(count += 1)}`;

export const uniqueKey = (): string => `topic-${(count += 1)}`;

/** The noun of a path, such as `contacts` in `/api/v1/contacts/{id}`; both surfaces show the same rows. */
export const nounOf = ({ path }: Operation): string => {
  if (path.includes('/contacts/imports/{id}')) return 'contact-imports';
  const reported = /\/analytics\/(campaigns|workflows)\/\{id\}$/.exec(path)?.[1];
  if (reported) return reported;
  if (path.endsWith('/recipients/{contactId}')) return 'campaign-recipients';
  if (path.endsWith('/workflows/{id}/executions')) return 'enabled-workflows';
  const move = /\/executions\/\{executionId\}(?:\/([a-z-]+))?$/.exec(path);
  if (move) return executionsFor[move[1] ?? 'retry']!;
  if (path.includes('/calls/{callId}')) return 'webhook-calls';
  const step = /\/campaigns\/\{id\}\/([a-z-]+)$/.exec(path)?.[1];
  return (step && campaignsFor[step]) ?? firstNounOf(path);
};

const firstNounOf = (path: string): string =>
  /^\/api\/(?:v1\/)?(?:projects\/\{projectId\}\/|users\/me\/|suppressions?\/(?=imports\/))?([^/]+)/.exec(
    path,
  )![1]!;

export function madeOf(noun: string): Maker {
  const maker = made[noun];
  if (!maker) throw new Error(`say in testing/resources.ts how to make one of ${noun}`);
  return maker;
}

function created(noun: string, body: () => object): Maker {
  return async (project) => ({
    id: (await project.requested('POST', `/api/v1/${noun}`, body(), 'key')).body.id as string,
  });
}

/** Creating keys is slow and the number of domains is limited, so the previous one is reused. */
async function storedDomain(project: MakersProject): Promise<Made> {
  const { body } = await project.requested('GET', '/api/v1/domains?limit=100', undefined, 'key');
  const stored = body.data.find(({ domain }: { domain: string }) => domain.startsWith('kept-'));
  return stored
    ? { id: stored.id as string }
    : {
        id: (await project.requested('POST', '/api/v1/domains', { domain: uniqueDomain('kept') }, 'key')).body
          .id as string,
      };
}

/** Their number is limited, so the oldest make room. */
async function newWebhook(project: MakersProject): Promise<Made> {
  const { body } = await project.requested('GET', '/api/v1/webhooks?limit=50', undefined, 'key');
  for (const { id } of (body.data as Made[]).slice(40))
    await project.requested('DELETE', `/api/v1/webhooks/${id}`, undefined, 'key');
  const settings = { url: 'http://127.0.0.1:9/hooks', event_types: ['email.sent'] };
  return created('webhooks', () => settings)(project);
}

async function suppress(project: MakersProject): Promise<Made> {
  return {
    id: (await project.requested('POST', '/api/v1/suppressions', { email: uniqueAddress() }, 'key')).body
      .email as string,
  };
}

/** A finished erasure, whose content is stable. */
async function erased(project: MakersProject): Promise<Made> {
  const { body } = await project.requested('POST', '/api/v1/contacts', { email: uniqueAddress() }, 'key');
  const id = body.id as string;
  await project.requested('DELETE', `/api/v1/contacts/${id}`, undefined, 'key');
  const report = `/api/v1/erasures/${id}`;
  await eventually(
    async () => (await project.requested('GET', report, undefined, 'key')).body.completed_at as string | null,
    'the erasure is complete',
  );
  return { id };
}

function newCampaign(): object {
  return { name: 'News', audience_type: 'ALL', subject: 'News', body: '<p>News</p>' };
}

/** As if it had been launched; its ledger is empty. */
function campaignIn(status: string): Maker {
  return async (project) => {
    const { id } = await created('campaigns', newCampaign)(project);
    await project.write('campaigns', `UPDATE campaigns SET status = $2 WHERE id = $1`, [id, status]);
    return { id };
  };
}

/** Being sent, with variants of which none is chosen yet. */
async function comparedCampaign(project: MakersProject): Promise<Made> {
  const { id } = await created('campaigns', () => ({
    ...newCampaign(),
    variants: [{ name: 'Cool' }, { name: 'Warm', subject: 'Good morning' }],
    test: { share: 20, winner_by: 'MANUAL', after_minutes: 60 },
  }))(project);
  await project.write(
    'campaigns',
    `WITH sending AS (UPDATE campaigns SET status = 'SENDING' WHERE id = $2)
     INSERT INTO launches (project_id, campaign_id, content_id, subject, from_email, variant_contents)
     VALUES ($1, $2, uuidv7(), 'News', 'hello@example.test', ARRAY[uuidv7(), uuidv7()])`,
    [project.id, id],
  );
  return { id };
}

/** Skipped, and of a contact with the id of its campaign, because both stand in the path. */
async function recipientOf(project: MakersProject): Promise<Made> {
  const { id } = await created('campaigns', newCampaign)(project);
  await project.write(
    'campaigns',
    `INSERT INTO recipients (project_id, campaign_id, contact_id, email_id, email, outcome, reason, at)
     VALUES ($1, $2, $2, uuidv7(), 'ada@example.com', 'SKIPPED', 'unsubscribed', now())`,
    [project.id, id],
  );
  return { id };
}

function newWorkflow(): object {
  return { name: 'Welcome', trigger_type: 'MANUAL' };
}

async function enabledWorkflow(project: MakersProject): Promise<Made> {
  const { id } = await created('workflows', newWorkflow)(project);
  await project.requested('POST', `/api/v1/workflows/${id}/resume`, undefined, 'key');
  return { id };
}

/** With the id of its workflow, because both stand in the path; of a contact that does not exist. */
function executionThat(status: 'WAITING' | 'FAILED'): Maker {
  return async (project) => {
    const { id } = await created('workflows', newWorkflow)(project);
    await project.write(
      'workflows',
      `INSERT INTO executions (project_id, id, workflow_id, workflow_version, generation, contact_id, status, reason, current_step_id, visits, wait, due_at, ended_at)
       SELECT $1, $2, $2, 1, generation, uuidv7(), $3, CASE $3 WHEN 'FAILED' THEN 'Gift: HTTP 404' END, s.id, jsonb_build_object(s.id::text, 1),
         CASE $3 WHEN 'WAITING' THEN 'TIME' END, CASE $3 WHEN 'WAITING' THEN now() + interval '1 day' END, CASE $3 WHEN 'FAILED' THEN now() END
       FROM workflows w JOIN workflow_steps s ON s.project_id = w.project_id AND s.workflow_id = w.id WHERE w.project_id = $1 AND w.id = $2`,
      [project.id, id, status],
    );
    return { id };
  };
}

/** With the id of its webhook, because both stand in the path. */
async function failedCall(project: MakersProject): Promise<Made> {
  const { id } = await madeOf('webhooks')(project);
  await project.write(
    'workflows',
    `WITH requested AS (INSERT INTO call_requests (project_id, id, body) VALUES ($1, $2, '{"type":"email.sent"}') RETURNING project_id, id)
     INSERT INTO calls (project_id, endpoint_id, id, request_id, event_type, generation, status, attempts, error, duration_ms, ended_at)
     SELECT project_id, id, id, id, 'email.sent', 1, 'FAILED', 8, 'connection: refused', 1, now() FROM requested`,
    [project.id, id],
  );
  return { id };
}

/** A finished import, whose content is stable. */
function imported(start: string, all: string): Maker {
  return async (project) => {
    const { body } = await project.requested('POST', `/api/v1/${start}`, { csv: uniqueAddress() }, 'key');
    const one = `/api/v1/${all}/${body.id}`;
    await eventually(
      async () => (await project.requested('GET', one, undefined, 'key')).body.finished_at as string | null,
      'the import is finished',
    );
    return { id: body.id as string };
  };
}

async function makeKey(project: MakersProject): Promise<Made> {
  const { body } = await project.requested(
    'POST',
    `/api/v1/projects/${project.id}/api-keys`,
    { name: 'Shop' },
    'key',
  );
  return { id: body.id as string, link: new URL(body.reveal_url as string).searchParams.get('token')! };
}

async function invite(project: MakersProject): Promise<Made> {
  const wanted = { email: uniqueAddress(), role: 'MEMBER' };
  return {
    id: (await project.requested('POST', `/api/v1/projects/${project.id}/members`, wanted, project.owner))
      .body.id as string,
  };
}

/** Another session of the owner, so that the current one stays. */
async function beginSession(project: MakersProject): Promise<Made> {
  const again = await signIn(project.posthorn, project.owner);
  const { body } = await project.requested('GET', '/api/v1/users/me/sessions', undefined, again);
  return { id: body.sessions.find(({ current }: { current: boolean }) => current).id as string };
}
