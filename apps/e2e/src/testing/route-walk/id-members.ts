import type { ApiDocument, Operation, Schema } from '../api-document.js';

export interface Reference {
  member: string;
  list: boolean;
}

export interface References {
  ids: Reference[];
  /** Senders, whose domain has to be the project's. */
  senders: string[];
}

/** Each member of the request that names something of a project. */
export function referencesIn(document: ApiDocument, operation: Operation): References {
  const members = membersOf(document, bodyOf(operation));
  const deeper = members.find(
    ([name, schema]) => name !== entriesOf(operation) && namesSomething(document, nestedIn(schema)),
  );
  if (deeper)
    throw new Error(
      `${operation.operationId} has ids deeper than this looks: teach id-members.ts to look into ${deeper[0]}`,
    );
  return referencesAmong(members);
}

/** The same of each entry, where the request is a list of requests that stand for themselves. */
export function entryReferencesIn(
  document: ApiDocument,
  operation: Operation,
): (References & { list: string }) | null {
  const list = entriesOf(operation);
  const entry = membersOf(document, bodyOf(operation)).find(([name]) => name === list);
  return list && entry ? { list, ...referencesAmong(membersOf(document, nestedIn(entry[1]))) } : null;
}

/** Of a batch: some of its entries may fail. */
const entriesOf = ({ responses }: Operation): string | null => (responses['207'] ? 'emails' : null);
const bodyOf = ({ requestBody }: Operation): string | undefined =>
  requestBody?.content['application/json'].schema.$ref;
const nestedIn = ({ $ref, items }: Schema): string | undefined => $ref ?? items?.$ref;

function membersOf(document: ApiDocument, ref: string | undefined): [string, Schema][] {
  const name = ref?.split('/').pop();
  return Object.entries((name && document.components.schemas[name]!.properties) || {});
}

function namesSomething(document: ApiDocument, ref: string | undefined): boolean {
  const members = membersOf(document, ref);
  return (
    referencesAmong(members).ids.length > 0 ||
    members.some(([, schema]) => namesSomething(document, nestedIn(schema)))
  );
}

const referencesAmong = (members: readonly [string, Schema][]): References => ({
  ids: members
    .filter(([, schema]) => isId(schema.items ?? schema))
    .map(([member, { items }]) => ({ member, list: items !== undefined })),
  senders: members.map(([member]) => member).filter((member) => member === 'from'),
});

/** Parameters of the query that are ids. */
export const idParameters = ({ parameters = [] }: Operation): string[] =>
  parameters
    .filter(({ in: location, schema }) => location === 'query' && schema && isId(schema))
    .map(({ name }) => name);

const isId = ({ format }: Schema): boolean => format === 'uuid';
