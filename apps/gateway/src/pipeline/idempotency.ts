import { createHash } from 'node:crypto';
import { Base64Text, writeJson, type Caller, type IdempotentRequest } from '@posthorn/contracts';
import { idempotencyKeyLength } from '../wire/errors.js';
import type { Route } from '../routes/route-table.js';

const maxKey = 255;

export function idempotencyOf(
  caller: Pick<Caller, 'isPublic' | 'mode'>,
  route: Pick<Route, 'method' | 'path' | 'ids'>,
  headers: string[],
  params: Readonly<Record<string, string>>,
  body: unknown,
): IdempotentRequest | undefined {
  if (headers.length === 0) return undefined;
  const [key] = headers;
  if (headers.length > 1 || key!.length < 1 || key!.length > maxKey) throw idempotencyKeyLength();
  // The same key for another resource is another request, so the path parameters are hashed with the body.
  const named = route.ids.map((name) => params[name]!.toLowerCase());
  const requested = named.length > 0 ? [named, body] : body;
  return { key: key!, operation: operationOf(caller, route), bodyHash: hashOf(requested) };
}

/** A visitor who claims a key of the shop's server, or tests that do, must not decide what its own request is answered. */
function operationOf(
  { isPublic, mode }: Pick<Caller, 'isPublic' | 'mode'>,
  { method, path }: Pick<Route, 'method' | 'path'>,
): string {
  const kind = [...(mode === 'TEST' ? ['test'] : []), ...(isPublic ? ['public'] : [])];
  return [...kind, method, path].join(' ');
}

function hashOf(requested: unknown): string {
  const hash = createHash('sha256');
  for (const piece of writeJson(() => canonicalJson(requested))) hash.update(piece);
  return hash.digest('hex');
}

export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null || value instanceof Base64Text)
    return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}
