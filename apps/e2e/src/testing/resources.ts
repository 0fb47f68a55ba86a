import type { Operation } from './api-document.js';
import type { Answer, RunningPosthorn } from './running-posthorn.js';

/** What can be made to stand behind an id in a path, by the noun before it. */
const made: Record<string, () => object> = {
  emails: () => ({ to: 'ada@example.com', subject: 'Hello', body: '<p>Hi</p>' }),
  contacts: () => ({ email: uniqueAddress() }),
  campaigns: () => ({ name: 'News', audience_type: 'ALL' }),
  workflows: () => ({ name: 'Welcome', trigger_type: 'MANUAL' }),
};

export const nouns = Object.keys(made);
let count = 0;

export const uniqueAddress = (): string => `reader-${(count += 1)}@example.com`;

/** The noun of a path, as `contacts` of `/api/v1/contacts/{id}`; both surfaces show the same rows. */
export const nounOf = ({ path }: Operation): string => /^\/api\/(?:v1\/)?([^/]+)/.exec(path)![1]!;

export async function make(posthorn: RunningPosthorn, noun: string, key: string): Promise<string> {
  const body = made[noun];
  if (!body) throw new Error(`say in testing/resources.ts how to make one of ${noun}`);
  const answer: Answer = await posthorn.request('POST', `/api/v1/${noun}`, body(), { authorization: `Bearer ${key}` });
  if (answer.status >= 300) throw new Error(`no ${noun} for the test: ${answer.text}`);
  return answer.body.id as string;
}

export async function pathFor(posthorn: RunningPosthorn, operation: Operation, key: string): Promise<string> {
  return operation.path.includes('{') ? withId(operation, await make(posthorn, nounOf(operation), key)) : operation.path;
}

export const withId = ({ path }: Operation, id: string): string => path.replace(/\{\w+\}/g, id);
