import { RefusedMembers, foreignProject, noCredential, noSession, notForPublicKeys } from '../wire/errors.js';
import { notJson, projectDisabled, rateLimited } from '../wire/errors.js';
import { tooLarge, unexpected, unknownRoute, wrongMediaType, wrongMethod } from '../wire/errors.js';
import { DomainError, unavailable, type JsonSchema } from '@posthorn/contracts';
import type { DomainCode } from '../dialects/dialect-schemas.js';
import { statusOfKind } from '../dialects/dialect.js';
import { dialects, dialectSchemas } from '../dialects/dialects.js';
import { surfaces, type Surface } from '../routes/route-request.js';
import type { Route } from '../routes/route-table.js';
import { callersOf } from '../routes/route.js';
import { headersOf } from './headers.js';
import { recorded } from './recorded.js';

export interface Refusal {
  name: string;
  status: number;
  surface: Surface;
  codes: readonly DomainCode[];
}

export function refusalsOf(route: Route): Refusal[] {
  const { declaration, method, surface, isSend } = route;
  const stopped = method !== 'GET' && !declaration.whileDisabled && declaration.project !== 'NONE';
  const thrown = [
    ...refusalsOfGuard(route),
    ...[notJson(), tooLarge(0), wrongMediaType(), new RefusedMembers([])],
    ...(stopped ? [projectDisabled()] : []),
    ...(declaration.missing ? [declaration.missing()] : []),
    ...(declaration.errors ?? []).map((error) => error()),
    unexpected(),
    isSend ? new DomainError('unavailable', 'enqueue_failed', '') : unavailable(),
    ...(declaration.onlyReads ? [new DomainError('timeout', 'internal_error', '')] : []),
  ];
  return grouped(surface, thrown);
}

function refusalsOfGuard({ declaration, method, projectInPath }: Route): DomainError[] {
  const callers = callersOf(declaration);
  const takesKeys = callers.includes('SECRET') || callers.includes('PUBLIC');
  const takesSessions = callers.includes('SESSION');
  const namesProject = projectInPath || (takesSessions && declaration.project !== 'NONE');
  // Reading one's own data across projects needs no scope and no trusted origin.
  const lacks = takesKeys || namesProject || method !== 'GET';
  return [
    ...(takesKeys ? [noCredential(), rateLimited(false, 10, 1)] : []),
    ...(takesSessions ? [noSession(), rateLimited(true, 50, 1)] : []),
    ...(namesProject ? [foreignProject()] : []),
    ...(lacks ? [notForPublicKeys()] : []),
  ];
}

export const refusalsWithoutRoute = (): Refusal[] =>
  surfaces.flatMap((surface) => grouped(surface, [unknownRoute(), wrongMethod([]), unexpected()]));

/** Requests that Node's parser refuses have no path, so they belong to no surface (unreadable-request.ts). */
export const unreadable: readonly Refusal[] = [408, 431].map((status) =>
  refusal('legacy', status, ['validation_error']),
);

export function responseOf({ name, surface, status, codes }: Refusal): object {
  const schemas = dialectSchemas[surface];
  const text = codes.map((code) => schemas.codeOf(code));
  const schema: JsonSchema = {
    allOf: [{ $ref: `#/components/schemas/${schemas.failure.name}` }, schemas.narrowed(status, text)],
  };
  const example = recorded.refusals[name];
  return {
    description: text.map((code) => `\`${code}\``).join(' or '),
    headers: headersOf(surface, status),
    content: { [mediaTypeOf(dialects[surface].errorType)]: { schema, ...(example ? { example } : {}) } },
  };
}

/** Media types in the document have no parameters. */
const mediaTypeOf = (contentType: string): string => contentType.split(';')[0]!;

function grouped(surface: Surface, thrown: readonly DomainError[]): Refusal[] {
  const byStatus = Map.groupBy(thrown, ({ kind }) => statusOfKind[kind]);
  return [...byStatus].map(([status, errors]) =>
    refusal(surface, status, [...new Set(errors.map(({ code }) => code))].sort()),
  );
}

function refusal(surface: Surface, status: number, codes: readonly DomainCode[]): Refusal {
  const texts = codes.map((code) =>
    code.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase()),
  );
  return { name: `${surface === 'v1' ? '' : 'Legacy'}${texts.join('Or')}${status}`, status, surface, codes };
}
