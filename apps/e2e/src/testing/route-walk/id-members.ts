import type { ApiDocument, Operation, Schema } from '../api-document.js';

export interface Reference {
  member: string;
  list: boolean;
}

/** Each member of the request that names something of a project: an id, or a sender whose domain has to be the project's. */
export function referencesIn(document: ApiDocument, operation: Operation): { ids: Reference[]; senders: string[] } {
  const name = operation.requestBody?.content['application/json'].schema.$ref.split('/').pop();
  const members = Object.entries((name && document.components.schemas[name]!.properties) || {});
  const deeper = members.find(([, schema]) => schema.$ref ?? schema.items?.$ref);
  if (deeper) throw new Error(`${operation.operationId} has ids deeper than this looks: teach id-members.ts to look into ${deeper[0]}`);
  return {
    ids: members.filter(([, schema]) => isId(schema.items ?? schema)).map(([member, { items }]) => ({ member, list: items !== undefined })),
    senders: members.map(([member]) => member).filter((member) => member === 'from'),
  };
}

/** Parameters of the query that are ids. */
export const idParameters = ({ parameters = [] }: Operation): string[] =>
  parameters.filter(({ in: place, schema }) => place === 'query' && schema && isId(schema)).map(({ name }) => name);

const isId = ({ format }: Schema): boolean => format === 'uuid';
