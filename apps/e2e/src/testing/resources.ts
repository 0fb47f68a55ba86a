import { eventually } from '@posthorn/testing';
import type { Operation } from './api-document.js';
import type { OwnedProject } from './owned-project.js';
import { signIn } from './people.js';

/** Something that stands behind an id. */
export interface Made {
  id: string;
  /** What a link to it bears, where it is read by one. */
  link?: string;
}

type Maker = (project: OwnedProject) => Promise<Made>;

/** What can be made to stand behind an id in a path, by the noun before it. */
const made: Record<string, Maker> = {
  // Waiting for its time, so that it can be taken back.
  emails: created('emails', () => ({
    to: 'ada@example.com',
    subject: 'Hello',
    body: '<p>Hi</p>',
    scheduled_at: tomorrow(),
  })),
  contacts: created('contacts', () => ({ email: uniqueAddress() })),
  erasures: erased,
  lists: created('lists', () => ({ name: 'News' })),
  campaigns: created('campaigns', () => ({ name: 'News', audience_type: 'ALL' })),
  workflows: created('workflows', () => ({ name: 'Welcome', trigger_type: 'MANUAL' })),
  domains: storedDomain,
  suppressions: suppress,
  suppression: suppress,
  imports: imported('suppressions/import', 'suppressions/imports'),
  'contact-imports': imported('contacts/imports', 'contacts/imports'),
  templates: created('templates', () => ({
    name: 'Welcome',
    subject: 'Welcome',
    body: '<p>Good to have you.</p>',
  })),
  snippets: created('snippets', () => ({ name: uniqueName(), body: '<p>Kind regards</p>' })),
  segments: created('segments', () => ({ name: uniqueName(), type: 'STATIC' })),
  'api-keys': makeKey,
  invitations: invite,
  members: async (project) => ({ id: await project.joined() }),
  sessions: beginSession,
};

export const nouns = Object.keys(made);
let count = 0;

const tomorrow = (): string => new Date(Date.now() + 86_400_000).toISOString();

/** Of development, so that it is verified at once. */
export const uniqueDomain = (text: string): string => `${text}-${(count += 1)}.example.test`;
export const uniqueAddress = (): string => `reader-${(count += 1)}@example.com`;

export const uniqueName = (): string => `footer-${(count += 1)}`;

/** The noun of a path, as `contacts` of `/api/v1/contacts/{id}`; both surfaces show the same rows. */
export const nounOf = ({ path }: Operation): string =>
  path.includes('/contacts/imports/{id}') ? 'contact-imports' : firstNounOf(path);

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

/** Keys take a while to make, and a project has a hundred domains: the one before serves as long as it is there. */
async function storedDomain(project: OwnedProject): Promise<Made> {
  const { body } = await project.requested('GET', '/api/v1/domains?limit=100', undefined, 'key');
  const stored = body.data.find(({ domain }: { domain: string }) => domain.startsWith('kept-'));
  return stored
    ? { id: stored.id as string }
    : {
        id: (await project.requested('POST', '/api/v1/domains', { domain: uniqueDomain('kept') }, 'key')).body
          .id as string,
      };
}

async function suppress(project: OwnedProject): Promise<Made> {
  return {
    id: (await project.requested('POST', '/api/v1/suppressions', { email: uniqueAddress() }, 'key')).body
      .email as string,
  };
}

/** One that is complete: what it says of itself does not change any more. */
async function erased(project: OwnedProject): Promise<Made> {
  const { body } = await project.requested('POST', '/api/v1/contacts', { email: uniqueAddress() }, 'key');
  const id = body.id as string;
  await project.requested('DELETE', `/api/v1/contacts/${id}`, undefined, 'key');
  const report = `/api/v1/erasures/${id}`;
  await eventually(
    async () => (await project.requested('GET', report, undefined, 'key')).body.completed_at as string | null,
    'the erasure ends',
  );
  return { id };
}

/** One that has ended: what it says of itself does not change any more. */
function imported(start: string, all: string): Maker {
  return async (project) => {
    const { body } = await project.requested('POST', `/api/v1/${start}`, { csv: uniqueAddress() }, 'key');
    const one = `/api/v1/${all}/${body.id}`;
    await eventually(
      async () => (await project.requested('GET', one, undefined, 'key')).body.finished_at as string | null,
      'the import ends',
    );
    return { id: body.id as string };
  };
}

async function makeKey(project: OwnedProject): Promise<Made> {
  const { body } = await project.requested(
    'POST',
    `/api/v1/projects/${project.id}/api-keys`,
    { name: 'Shop' },
    'key',
  );
  return { id: body.id as string, link: new URL(body.reveal_url as string).searchParams.get('token')! };
}

async function invite(project: OwnedProject): Promise<Made> {
  const wanted = { email: uniqueAddress(), role: 'MEMBER' };
  return {
    id: (await project.requested('POST', `/api/v1/projects/${project.id}/members`, wanted, project.owner))
      .body.id as string,
  };
}

/** Another one of the owner's: the one that asks lasts. */
async function beginSession(project: OwnedProject): Promise<Made> {
  const again = await signIn(project.posthorn, project.owner);
  const { body } = await project.requested('GET', '/api/v1/users/me/sessions', undefined, again);
  return { id: body.sessions.find(({ current }: { current: boolean }) => current).id as string };
}
