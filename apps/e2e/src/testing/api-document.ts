/** The parts of an OpenAPI document that these tests read. */
export interface ApiDocument {
  paths: Record<string, Record<string, Omit<Operation, 'pointer' | 'method' | 'path'>>>;
  components: { responses: Record<string, Response>; schemas: Record<string, Schema> };
}

export interface Operation {
  /** Its location in the document. */
  pointer: string;
  method: string;
  path: string;
  operationId: string;
  'x-surface': 'v1' | 'legacy';
  'x-scope': string;
  'x-or-scope'?: string;
  'x-callers': ('SECRET' | 'PUBLIC' | 'SESSION' | 'TOKEN' | 'NOBODY')[];
  parameters?: { name: string; in: string; schema?: Schema; $ref?: string }[];
  requestBody?: {
    required: boolean;
    content: { 'application/json': { schema: { $ref: string }; example?: Record<string, unknown> } };
  };
  responses: Record<string, Response | { $ref: string }>;
}

export interface Response {
  headers?: Record<string, { $ref: string }>;
  content: Record<string, { schema: object; example?: unknown }>;
}

export interface Schema {
  type?: string | string[];
  format?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  $ref?: string;
}

/** Outside of both surfaces: front page, health, confirmation links, documentation, pages and sign-in. */
export const outside = (path: string): boolean =>
  path.startsWith('/api/auth/') ||
  path.endsWith('/lists/confirm-subscription') ||
  outsideFolders.includes(path.split('/')[1]!);

const outsideFolders: readonly string[] = [
  ...['', 'healthz', 'openapi.json', 'docs', 'pages'],
  ...[
    'sign-in',
    'sign-out',
    'sign-up',
    'verify-email',
    'forgot-password',
    'reset-password',
    'account',
    'invitations',
  ],
  ...['oauth', '.well-known'],
];

const operations = new WeakMap<ApiDocument, Operation[]>();

export function operationsOf(document: ApiDocument): Operation[] {
  const known = operations.get(document) ?? readOperations(document);
  operations.set(document, known);
  return known;
}

function readOperations({ paths }: ApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
      pointer: pointerOf(path, method),
    })),
  );
}

export function operationAt(document: ApiDocument, method: string, path: string): Operation | undefined {
  const matching = operationsOf(document).filter(
    (operation) => operation.method === method && matches(operation.path, path),
  );
  return matching.sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0];
}

/** A path that cannot be decoded has no operation. */
export function pathAt({ paths }: ApiDocument, path: string): boolean {
  return isDecodable(path) && Object.keys(paths).some((known) => matches(known, path));
}

export function responseIn(
  document: ApiDocument,
  operation: Operation,
  status: number,
): (Response & { pointer: string }) | undefined {
  const found = operation.responses[status];
  if (!found) return undefined;
  if (!('$ref' in found)) return { ...found, pointer: `${operation.pointer}/responses/${status}` };
  const pointer = found.$ref.slice(1);
  return { ...document.components.responses[pointer.split('/').pop()!]!, pointer };
}

const pointerOf = (path: string, method: string): string => `/paths/${path.replaceAll('/', '~1')}/${method}`;

function matches(known: string, path: string): boolean {
  const wanted = known.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => (part.startsWith('{') ? given[index] !== '' : part === given[index]))
  );
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch (error) {
    if (error instanceof URIError) return false;
    throw error;
  }
}
