import type { DomainError, Shape } from '@posthorn/contracts';
import { RefusedMembers } from '../wire/errors.js';
import type { LegacyList } from '../routes/route.js';
import type { Dialect, DomainPage, ErrorContext } from './dialect.js';
import { ShapeNames } from './shape-names.js';
import { writeResource } from './write-resource.js';

const names = new ShapeNames({
  dialectName: (name) => name,
  aliases: (field) => field.legacyAliases ?? [],
  shows: (field) => !field.v1Only,
  asText: () => false,
  code: (code) => code.toUpperCase(),
});

export const legacy: Dialect = {
  surface: 'legacy',
  names,
  cursorParameter: 'cursor',
  hasPages: (envelope) => envelope !== 'whole',
  showsTotal: (envelope) => envelope === 'items' || envelope === 'nested',
  statusOf: { done: 200, created: 201, accepted: 200, queued: 202, deleted: 200, batch: 200 },
  statusOfPartialFailure: 207,
  resource: (shape, value) => ({ success: true, data: writeResource(names, shape, value) }),
  bare: (shape, value) => writeResource(names, shape, value),
  deleted: () => ({ success: true }),
  entries: (shape, items) => ({
    success: true,
    data: items.map((item) => writeResource(names, shape, item)),
  }),
  page: (shape, page, next, envelope) => ({
    success: true,
    ...envelopes[envelope](written(shape, page), page, next),
  }),
  errorType: 'application/json; charset=utf-8',
  error: envelope,
};

const written = (shape: Shape, { items }: DomainPage): object[] =>
  items.map((item) => writeResource(names, shape, item));

const envelopes: Readonly<
  Record<LegacyList, (items: object[], page: DomainPage, next: string | null) => object>
> = {
  items: (items, { hasMore, total, totalIsCapped, erased }, nextCursor) => ({
    data: {
      items,
      nextCursor,
      hasMore,
      total: total ?? null,
      ...(totalIsCapped ? { totalIsCapped } : {}),
      ...(erased === undefined ? {} : { erasedCount: erased }),
    },
  }),
  flat: (data, _, nextCursor) => ({ data, nextCursor }),
  nested: (data, { hasMore, total, totalIsCapped }, cursor) => ({
    data: { data, cursor, hasMore, total: total ?? null, ...(totalIsCapped ? { totalIsCapped } : {}) },
  }),
  whole: (data) => ({ data }),
};

function envelope(error: DomainError, { shape, queryNames }: ErrorContext): object {
  const { errors, previousStatus } = error.details;
  // Errors of the request already use its own names.
  const ownNames = error instanceof RefusedMembers;
  const failures = errors && shape && !ownNames ? names.failures(shape, errors) : errors;
  const fieldOf = (path: readonly string[]) => (ownNames ? path : renamed(path, queryNames)).join('.');
  const details = {
    ...(failures
      ? { errors: failures.map(({ path, code, message }) => ({ field: fieldOf(path), code, message })) }
      : {}),
    ...(previousStatus === undefined ? {} : { previousStatus }),
  };
  return {
    success: false,
    error: {
      message: error.message,
      code: error.code.toUpperCase(),
      ...(Object.keys(details).length > 0 ? { details } : {}),
    },
  };
}

const renamed = (
  [first = '', ...rest]: readonly string[],
  queryNames: Readonly<Record<string, string>> = {},
): string[] => [Object.hasOwn(queryNames, first) ? queryNames[first]! : first, ...rest];
