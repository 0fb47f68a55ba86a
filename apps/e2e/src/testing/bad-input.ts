import { afterAll, beforeAll, expect } from '@jest/globals';
import { runCommand } from '@posthorn/operator';
import { inboxMessages } from './inbox.js';
import { makeDataDirectory, RunningPosthorn, type Answer } from './running-posthorn.js';
import { borrowPosthorn, returnPosthorn } from './shared-posthorn.js';

export type Surface = 'v1' | 'legacy';
export const surfaces: readonly Surface[] = ['v1', 'legacy'];
export const prefixes: Readonly<Record<Surface, string>> = { v1: '/api/v1', legacy: '/api' };
export const randomId = '019b0000-0000-7000-8000-000000000001';

/** One per error code that bad input causes; the title of a code never changes. */
const titles: Readonly<Record<string, string>> = {
  invalid_api_key: 'The API key is missing, malformed, unknown or revoked',
  scope_missing: 'The credential does not allow this operation',
  validation_error: 'The request is not valid',
  resource_not_found: 'The resource does not exist',
  conflict: 'The request conflicts with the current state',
  rate_limited: 'Too many requests with this API key',
};

/** The expected refusal; `errors` are pointers in the names of its surface with their codes, or none for no list. */
export interface Refusal {
  status: number;
  code?: string;
  detail?: string;
  errors?: readonly (readonly [place: string, code: string])[];
}

/** Checks the whole response in the format of its surface. */
export function expectRefusal(answer: Answer, surface: Surface, path: string, refusal: Refusal): void {
  const published = {
    status: answer.status,
    type: answer.headers.get('content-type'),
    body: ordered(answer.body),
  };
  if (surface === 'v1')
    expect(published).toEqual({
      status: refusal.status,
      type: 'application/problem+json',
      body: ordered(problem(path, refusal)),
    });
  else
    expect(published).toEqual({
      status: refusal.status,
      type: 'application/json; charset=utf-8',
      body: ordered(envelope(refusal)),
    });
  expect(answer.headers.get('x-request-id')).toBeNull();
  expect(answer.text).not.toMatch(/node_modules|at \w+ \(|SELECT|INSERT/);
}

/** Members of both surfaces that contain failures; a body has many more. */
interface Published {
  [member: string]: unknown;
  errors?: { pointer: string }[];
  error?: { [member: string]: unknown; details?: { errors?: { field: string }[] } };
}

/** The order of failures is undefined. */
function ordered(body: Published): Published {
  body.errors?.sort((a, b) => a.pointer.localeCompare(b.pointer));
  body.error?.details?.errors?.sort((a, b) => a.field.localeCompare(b.field));
  return body;
}

function problem(
  path: string,
  { status, code = 'validation_error', detail = 'One or more fields are invalid', errors }: Refusal,
): Published {
  return {
    type: expect.stringMatching(new RegExp(`^https?://.+/errors#${code}$`)),
    title: titles[code],
    status,
    ...(detail === titles[code] ? {} : { detail }),
    instance: path.replace(/[?#].*$/s, ''),
    code,
    request_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
    ...(errors
      ? {
          errors: errors.map(([pointer, failure]) => ({
            pointer,
            code: failure,
            message: expect.any(String),
          })),
        }
      : {}),
  };
}

function envelope({
  code = 'validation_error',
  detail = 'One or more fields are invalid',
  errors,
}: Refusal): Published {
  const details = {
    errors: errors?.map(([field, failure]) => ({ field, code: failure, message: expect.any(String) })),
  };
  return {
    success: false,
    error: { message: detail, code: code.toUpperCase(), ...(errors ? { details } : {}) },
  };
}

/** `/metadata/a` is `metadata.a` on the legacy surface. */
export const pointerOn = (surface: Surface, pointer: string): string =>
  surface === 'v1' ? pointer : pointer.slice(1).replaceAll('/', '.');

/** The product, for one test file: with settings in a process of its own, else the one that suites share. */
export function withPosthorn(environment?: Record<string, string>): {
  posthorn: RunningPosthorn;
  operator: Operator;
} {
  const directory = makeDataDirectory();
  const suite = {
    posthorn: undefined as unknown as RunningPosthorn,
    operator: operatorOf(directory.path),
  };
  beforeAll(async () => {
    suite.posthorn = await (environment
      ? RunningPosthorn.start(directory.path, environment)
      : borrowPosthorn(directory.path));
  });
  afterAll(async () => {
    await (environment ? suite.posthorn.stop() : returnPosthorn(suite.posthorn));
    directory.remove();
  });
  return suite;
}

/** The operator's commands for the product that runs on a data directory. */
export function operatorOf(dataDirectory: string): Operator {
  const run = commandsOf(dataDirectory);
  return async (...texts) => {
    const { status, stdout, stderr } = await run(...texts);
    if (status !== 0) throw new Error(`${texts.join(' ')} ended with ${status}: ${stderr}`);
    return JSON.parse(stdout) as Record<string, string>;
  };
}

interface Ran {
  status: number;
  stdout: string;
  stderr: string;
}

/** What the program of the operator does, without the second that each process of it takes to load. */
export function commandsOf(
  dataDirectory: string,
  settings: Record<string, string> = {},
): (...texts: string[]) => Promise<Ran> {
  const environment = { ...process.env, POSTHORN_DATA_DIR: dataDirectory, ...settings };
  return async (...texts) => {
    const said = { stdout: '', stderr: '' };
    const status = await runCommand(texts, {
      environment,
      print: (text) => (said.stdout += `${text}\n`),
      complain: (text) => (said.stderr += `${text}\n`),
    });
    return { status, ...said };
  };
}

export type Operator = (...texts: string[]) => Promise<Record<string, string>>;

export async function expectNothingStored(posthorn: RunningPosthorn): Promise<void> {
  const lists = await Promise.all(['emails', 'contacts'].map((noun) => posthorn.get(`/api/v1/${noun}`)));
  expect(lists.map(({ body }) => body.data)).toEqual([[], []]);
  expect(await inboxMessages(posthorn)).toEqual([]);
}
