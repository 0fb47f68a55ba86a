import {
  fieldsOf,
  PageQuery,
  restOf,
  type DomainError,
  type RequestContract,
  type Scope,
  type Shape,
} from '@posthorn/contracts';
import type { Bus, CallTime } from '@posthorn/messaging';
import type { RouteRequest } from './route-request.js';
import {
  projectParameter,
  type DeclaredRoute,
  type ListRoute,
  type Method,
  type ResourceRoute,
  type RouteBase,
  type RouteDeclaration,
} from './route.js';

/** A route that is one call over the bus. */
export interface CallRoute extends DeclaredRoute {
  call: (bus: Bus, request: RouteRequest) => Promise<object>;
}

/** The routes of a noun that are calls. A route that does more is a method of a controller. */
export interface CallRoutes {
  noun: string;
  routes: readonly CallRoute[];
}

interface Common {
  /** Of routes whose contract only reads. */
  read: Scope;
  /** Of all others. */
  write: Scope;
  missing?: () => DomainError;
}

/** What a route says differently, or in addition. */
interface CallOptions<In> extends Partial<Omit<RouteBase, 'summary' | 'query' | 'reply' | 'onlyReads'>> {
  /** The members of the contract that parameters of the path are, where they have other names. */
  named?: Readonly<Record<string, keyof In & string>>;
  /** Members of the contract that are neither in the path nor said by the client. */
  also?: { readonly [Member in keyof In]?: (request: RouteRequest) => In[Member] };
  /** What the gateway refuses before it asks. */
  checks?: (request: RouteRequest<In>) => void;
  /** How long the call waits for its answer, where that is not as long as usual. */
  waits?: CallTime | ((body: In) => CallTime);
}
type ResourceOptions<In> = CallOptions<In> & Partial<Omit<ResourceRoute, keyof RouteBase>>;
type ListOptions<In> = CallOptions<In> & Partial<Omit<ListRoute, keyof RouteBase>>;
type Options = ResourceOptions<object> & Pick<ListOptions<object>, 'listed'>;

interface Call {
  method: Method;
  path: string;
  contract: RequestContract;
  summary: string;
  options: Options;
}

const call =
  (method: Method, by: Options = {}) =>
  <In extends object>(
    path: string,
    contract: RequestContract<In>,
    summary: string,
    options: ResourceOptions<In> = {},
  ): Call => ({
    method,
    path,
    contract: contract as unknown as RequestContract,
    summary,
    options: { ...by, ...(options as Options) },
  });

export const get = call('GET');
export const post = call('POST');
export const put = call('PUT');
export const patch = call('PATCH');
/** A POST that makes the resource which it answers. */
export const create = call('POST', { success: 'created' });
export const remove = call('DELETE', { success: 'deleted' });

export const list = <In extends PageQuery>(
  path: string,
  contract: RequestContract<In>,
  summary: string,
  options: ListOptions<In> = {},
): Call => call('GET', { listed: 'items' })(path, contract, summary, options as ResourceOptions<In>);

/** On the legacy surface such a list is not paginated: the call asks for all that a project may have. */
export const wholeOnLegacy = (most: number): ListOptions<PageQuery> => ({
  listed: 'whole',
  also: { limit: ({ surface, listPage }) => (surface === 'legacy' ? most : listPage.limit) },
});

/** The name of each route is the end of its `operationId`; shapes are those of the contract without what the path says. */
export function routes(noun: string, common: Common, calls: Readonly<Record<string, Call>>): CallRoutes {
  return {
    noun,
    routes: Object.entries(calls).map(([name, each]) => routeOf(name, common, each)),
  };
}

const pageMembers = Object.keys(fieldsOf(PageQuery));

function routeOf(name: string, common: Common, call: Call): CallRoute {
  const { method, path, contract, summary, options } = call;
  const { named, also, checks, waits, ...declared } = options;
  const members = pathMembersOf(call);
  const rest = declared.body === undefined ? restOf(contract.body, saidOf(call, members)) : declared.body;
  const declaration = {
    summary,
    scope: contract.onlyReads ? common.read : common.write,
    reply: declared.listed ? itemOf(contract.reply) : contract.reply,
    ...(members.length > 0 && common.missing ? { missing: common.missing } : {}),
    ...(method !== 'GET' && contract.onlyReads ? { onlyReads: true } : {}),
    ...declared,
    ...(method === 'GET' ? { query: rest ?? undefined } : { body: rest }),
  } as RouteDeclaration;
  return {
    method,
    path,
    name,
    declaration,
    call: async (bus, request) => {
      checks?.(request);
      const body = {
        ...request.body,
        ...request.query,
        ...request.listPage,
        ...(declared.idempotent ? { idempotency: request.idempotency } : {}),
        ...valuesOf(also, request),
        ...Object.fromEntries(members.map(({ name: member, read }) => [member, read(request.params)])),
      };
      return bus.call(contract, request.caller, body, typeof waits === 'function' ? waits(body) : waits);
    },
  };
}

interface PathMember {
  name: string;
  read: (params: RouteRequest['params']) => string | number;
}

function pathMembersOf({ path, contract, options: { named = {} } }: Call): PathMember[] {
  const fields = fieldsOf(contract.body);
  const parameters = [...path.matchAll(/:(\w+)/g)].map(([, parameter]) => parameter!);
  return parameters
    .filter((parameter) => parameter !== projectParameter)
    .map((parameter) => {
      const name = (named as Readonly<Record<string, string>>)[parameter] ?? parameter;
      const isCount = fields[name]?.kind === 'count';
      return { name, read: (params) => (isCount ? Number(params[parameter]) : params[parameter]!) };
    });
}

/** The members of the contract's body that the client does not say in its body or query. */
function saidOf({ method, path, contract, options }: Call, members: readonly PathMember[]): string[] {
  const { also = {}, listed, idempotent } = options;
  const said = [
    ...members.map(({ name }) => name),
    ...Object.keys(also),
    ...(listed ? pageMembers : []),
    ...(idempotent ? ['idempotency'] : []),
  ];
  const unknown = said.filter((name) => !fieldsOf(contract.body)[name]);
  if (unknown.length > 0)
    throw new Error(`${method} ${path}: ${contract.subject} has no member ${unknown.join(', ')}`);
  return said;
}

function valuesOf(also: Options['also'], request: RouteRequest): object {
  const given = Object.entries(also ?? {}) as [string, (request: RouteRequest) => unknown][];
  return Object.fromEntries(given.map(([name, value]) => [name, value(request)]));
}

const itemOf = (page: Shape): Shape => fieldsOf(page)['items']!.nested!();
