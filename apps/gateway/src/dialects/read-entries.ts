import { fieldsOf, type InvalidMember, type Shape } from '@posthorn/contracts';
import { RefusedMembers } from '../wire/errors.js';
import type { RefusedEntry } from '../routes/route-request.js';
import { readBody } from './read-body.js';
import type { ShapeNames } from './shape-names.js';

export interface ReadEntries<T extends object> {
  body: T;
  requestIndexes: number[];
  refused: RefusedEntry[];
}

/** A fault inside one entry refuses only that entry. */
export function readEntries<T extends object>(
  names: ShapeNames,
  shape: Shape<T>,
  plain: object,
  member: string,
): ReadEntries<T> {
  const dialectName = names.of(shape).byContractName.get(member)!.dialectName;
  try {
    const body = readBody(names, shape, plain);
    return {
      body,
      requestIndexes: ((body as Record<string, unknown>)[member] as unknown[]).map((_, index) => index),
      refused: [],
    };
  } catch (error) {
    const entries = (plain as Record<string, unknown>)[dialectName];
    if (!(error instanceof RefusedMembers) || !Array.isArray(entries)) throw error;
    const refused = refusedOf(error, dialectName);
    const removed = new Set(refused.map(({ index }) => index));
    const requestIndexes = entries.map((_, index) => index).filter((index) => !removed.has(index));
    const left = requestIndexes.map((index) => entries[index] as unknown);
    // The shape refuses an empty list; here it means that every entry was refused.
    const body =
      left.length > 0 ? readBody(names, shape, { ...plain, [dialectName]: left }) : emptied(shape, member);
    return { body, requestIndexes, refused };
  }
}

/** Rethrows errors that concern more than single entries. */
function refusedOf(error: RefusedMembers, dialectName: string): RefusedEntry[] {
  const errors = error.details.errors!;
  if (!errors.every(({ path }) => path[0] === dialectName && /^\d+$/.test(path[1] ?? ''))) throw error;
  return [...Map.groupBy(errors, ({ path }) => Number(path[1]))].map(([index, wrong]) => ({
    index,
    message: wrong.map(text).join('; '),
  }));
}

const text = ({ path, message }: InvalidMember): string =>
  [path.slice(2).join('.'), message].filter(Boolean).join(' ');

const emptied = <T extends object>(shape: Shape<T>, member: string): T =>
  Object.assign(
    new shape(),
    Object.fromEntries(Object.keys(fieldsOf(shape)).map((name) => [name, name === member ? [] : undefined])),
  );
