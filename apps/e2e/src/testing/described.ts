import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {
  operationAt,
  outside,
  pathAt,
  responseIn,
  type ApiDocument,
  type Operation,
  type Response,
} from './api-document.js';

interface Requested {
  method: string;
  /** With its query. */
  path: string;
  body?: unknown;
  /** Of the body; JSON by default. */
  type?: string;
}

interface Published {
  status: number;
  headers: Headers;
  text: string;
}

/** The committed document, which `bin/check` compares with the served one. */
export const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as ApiDocument;

const root = 'openapi';
const json = 'application/json';
const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { 'idn-email': /^[^@\s]+@[^@\s]+$/ } });
(addFormats as unknown as (instance: Ajv2020) => void)(ajv);
ajv.addSchema(closed(document) as object, root);
const compiled = new Map<string, ValidateFunction>();

/** Throws unless the document describes the status, type, headers and every member of the response. */
export function refuseUndescribed(requested: Requested, published: Published): void {
  const path = requested.path.replace(/[?#].*$/s, '');
  if (outside(path)) return;
  const complaint = complaintOf(requested, path, published);
  if (complaint)
    throw new Error(
      `${requested.method} ${requested.path} was answered ${published.status}, and ${complaint}\n${published.text.slice(0, 2_000)}`,
    );
}

/** Includes refusals by Node before routing: without a path they have the legacy format. */
export function refuseUndescribedBytes(line: string, published: Published): void {
  const [method = '', path = ''] = line.split(' ');
  const unread = !published.headers.has('x-content-type-options');
  if (!unread) return refuseUndescribed({ method, path }, published);
  const complaint = complaintAbout(
    `/components/responses/LegacyValidationError${published.status}`,
    published,
    false,
  );
  if (complaint)
    throw new Error(`${line} was answered ${published.status}, and ${complaint}\n${published.text}`);
}

function complaintOf(
  { method, path: requested, body, type }: Requested,
  path: string,
  published: Published,
): string | null {
  const bodyless = method === 'HEAD';
  const operation = operationAt(document, bodyless ? 'GET' : method, path);
  if (!operation) return withoutRoute(method, path, published, bodyless);
  const response = responseIn(document, operation, published.status);
  if (!response)
    return `${operation.operationId} describes only ${Object.keys(operation.responses).join(', ')}`;
  const refused = complaintAbout(response.pointer, published, bodyless);
  if (refused) return `${operation.operationId} describes that otherwise: ${refused}`;
  // Entries of a batch may be invalid.
  const whole = published.status < 300 && published.status !== 207 && !describesEntries(published);
  const accepted = whole ? acceptedOtherwise(operation, requested, body, type) : null;
  return accepted && `${operation.operationId} describes another request: ${accepted}`;
}

/** A success that reports entries it did not accept. */
function describesEntries({ text }: Published): boolean {
  if (!text.includes('"errors":[{')) return false;
  const { errors, data = {} } = JSON.parse(text) as { errors?: object[]; data?: { errors?: object[] } };
  return (errors ?? data.errors ?? []).length > 0;
}

/** 404 for unknown paths, 405 for known paths with other methods, and preflights. */
function withoutRoute(method: string, path: string, published: Published, bodyless: boolean): string | null {
  const known = pathAt(document, path);
  if (method === 'OPTIONS' && published.status === 204)
    return known && published.text === '' ? null : 'no operation is there';
  const status = known ? 405 : 404;
  const prefix = path === '/api/v1' || path.startsWith('/api/v1/') ? '' : 'Legacy';
  if (published.status !== status) return `without such an operation it has to be ${status}`;
  return complaintAbout(`/components/responses/${prefix}ResourceNotFound${status}`, published, bodyless);
}

function complaintAbout(pointer: string, { headers, text }: Published, bodyless: boolean): string | null {
  const response = at(pointer) as Response | undefined;
  if (!response) return `there is no ${pointer}`;
  const promised = Object.entries(response.headers ?? {}).filter(
    ([, { $ref }]) => (at($ref.slice(1)) as { required?: boolean }).required,
  );
  const lacking = promised.map(([name]) => name).filter((name) => !headers.has(name));
  if (lacking.length > 0) return `the header ${lacking.join(', ')} is missing`;
  const type = headers.get('content-type')?.split(';')[0] ?? 'none';
  if (!response.content[type])
    return `the type ${type} is none of ${Object.keys(response.content).join(', ')}`;
  if (bodyless) return text === '' ? null : 'it has a body';
  if (type === 'text/csv') return text.includes('\r\n') ? null : 'it is no table';
  if (type === 'text/event-stream') return /^(event|retry): /.test(text) ? null : 'it is no stream of events';
  if (type === 'text/html') return text.startsWith('<!doctype html>') ? null : 'it is no page';
  return failuresOf(`${pointer}/content/${escaped(type)}/schema`, JSON.parse(text));
}

/** An accepted request must be documented, because generated clients could not send it otherwise. */
function acceptedOtherwise(
  { pointer, requestBody, parameters = [] }: Operation,
  requested: string,
  body: unknown,
  type = json,
): string | null {
  const names = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const unknown = [...new URL(requested, 'http://posthorn').searchParams.keys()].filter(
    (name) => !names.includes(name),
  );
  if (unknown.length > 0) return `the parameter ${unknown.join(', ')} is not described`;
  if (!requestBody || (body === undefined && !requestBody.required)) return null;
  const { content } = requestBody as { content: Record<string, unknown> };
  if (type !== json) return content[type] ? null : `the type ${type} is not described`;
  const value: unknown =
    typeof body === 'string' || body instanceof Uint8Array
      ? JSON.parse(Buffer.from(body as string).toString())
      : body;
  return failuresOf(`${pointer}/requestBody/content/application~1json/schema`, value);
}

function failuresOf(pointer: string, value: unknown): string | null {
  const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `${root}#${encodeURI(pointer)}` });
  compiled.set(pointer, validate);
  // Uses the JSON form: absent members differ from undefined ones.
  return validate(JSON.parse(JSON.stringify(value ?? null)))
    ? null
    : ajv.errorsText(validate.errors, { dataVar: 'it', separator: '; ' });
}

/** Clients must accept new members, but an undocumented one here is a leak. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, closed(value)]),
  ) as Record<string, unknown>;
  return copy['type'] === 'object' && copy['properties'] ? { additionalProperties: false, ...copy } : copy;
}

const escaped = (token: string): string => token.replaceAll('~', '~0').replaceAll('/', '~1');

const at = (pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (location, token) =>
        (location as Record<string, unknown> | undefined)?.[
          token.replaceAll('~1', '/').replaceAll('~0', '~')
        ],
      document,
    );
