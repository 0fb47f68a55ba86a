import type { ApiDocument, Operation, Schema } from '../api-document.js';

export interface Reference {
  member: string;
  list: boolean;
  /** The list whose first entry has the member; the body itself without it. */
  inside?: string;
}

export interface References {
  ids: Reference[];
  /** Senders, whose domain must belong to the project. */
  senders: string[];
}

/** Callers choose the ids in a graph, and what GET answers beside them is ignored. */
const ofGraphs: ReadonlySet<string> = new Set(['graph', 'steps', 'transitions', 'workflow_id', 'workflowId']);
const isGraph = ({ path }: Operation): boolean => /\/graph(?:\/validate)?$|\/workflows\/import$/.test(path);

/** Members of the request, and of the entries of its lists, that refer to something in a project. */
export function referencesIn(document: ApiDocument, operation: Operation): References {
  const members = membersOf(document, bodyOf(operation)).filter(
    ([name]) => !(isGraph(operation) && ofGraphs.has(name)),
  );
  const { ids, senders } = referencesAmong(members);
  const nested = members
    .filter(([name]) => name !== entriesOf(operation))
    .flatMap(([inside, schema]) => {
      const entry = membersOf(document, nestedIn(schema));
      const deeper = entry.find(([, each]) => namesSomething(document, nestedIn(each)));
      if (deeper ?? (schema.$ref && referencesAmong(entry).ids.length > 0))
        throw new Error(
          `${operation.operationId} has ids deeper than this looks: teach id-members.ts to look into ${inside}`,
        );
      return referencesAmong(entry).ids.map((reference) => ({ ...reference, inside }));
    });
  return { ids: [...ids, ...nested], senders };
}

/** The same for each entry of a batch. */
export function entryReferencesIn(
  document: ApiDocument,
  operation: Operation,
): (References & { list: string }) | null {
  const list = entriesOf(operation);
  const entry = membersOf(document, bodyOf(operation)).find(([name]) => name === list);
  return list && entry ? { list, ...referencesAmong(membersOf(document, nestedIn(entry[1]))) } : null;
}

/** For a batch, whose entries may fail separately. */
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
  senders: members
    .filter(([member, { format }]) => member === 'from' && format !== 'date-time')
    .map(([member]) => member),
});

/** Query parameters that are ids. */
export const idParameters = ({ parameters = [] }: Operation): string[] =>
  parameters
    .filter(({ in: location, schema }) => location === 'query' && schema && isId(schema))
    .map(({ name }) => name);

const isId = ({ format }: Schema): boolean => format === 'uuid';
