import 'reflect-metadata';
import type { DomainError, MemberRole, Scope, Shape } from '@posthorn/contracts';
import { surfaces, type RouteRequest, type Surface } from './route-request.js';

export const projectParameter = 'projectId';

/** Whom the rate limiter counts. */
export type RateLimitedKind = 'SECRET' | 'PUBLIC' | 'SESSION' | 'TOKEN';
export type CallerKind = RateLimitedKind | 'NOBODY';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** How a request ends well; the status of each is the dialect's. */
export type Success = 'done' | 'created' | 'accepted' | 'queued' | 'deleted' | 'batch';
/** How the legacy surface wraps a page of the list (docs/api-decisions.md §1); v1 has one way. `nested`: the envelope of snippets; `whole`: not paginated. */
export type LegacyList = 'items' | 'flat' | 'nested' | 'whole';

export interface RouteBase {
  summary: string;
  scope: Scope;
  /** A scope that is sufficient instead. */
  orScope?: Scope;
  /** Secret keys, sessions and delegated tokens by default; public keys only where listed (docs/api-decisions.md §2). */
  callers?: readonly CallerKind[];
  /** Of people, only members with one of these roles; everybody with the scope by default. */
  roles?: readonly MemberRole[];
  /** That of the credential (for sessions and delegated tokens, `x-project-id`) or `:projectId` of the path; `NONE` belongs to no project. */
  project?: 'NONE';
  /** One surface only, where the two differ in more than names. */
  surfaces?: readonly Surface[];
  legacyPath?: string;
  query?: Shape;
  legacyQueryNames?: Readonly<Record<string, string>>;
  /** The shape of the reply; for a list, of one item. */
  reply: Shape;
  /** What a malformed or foreign id in the path answers; required where the path has an id. */
  missing?: () => DomainError;
  /** Allowed while the project is disabled; reads always are (docs/api-decisions.md §3). */
  whileDisabled?: boolean;
  /** Not a GET, and yet it changes nothing: 504 where it ran out of time. */
  onlyReads?: true;
  errors?: readonly (() => DomainError)[];
  /** The shape whose members its errors name, where that is not the body or query. */
  errorShape?: Shape;
}

export interface ResourceRoute extends RouteBase {
  /** Required for POST, PUT and PATCH; `null` says that there is none. */
  body?: Shape | null;
  /** No body is read as an empty one: all members are optional. */
  mayBeEmpty?: true;
  success?: Success;
  legacySuccess?: Success;
  /** The list of the body whose entries are read and answered one by one; the success `batch` answers all of them. */
  batchField?: string;
  idempotent?: boolean;
  /** Largest body in bytes; 1 MiB by default. */
  bodyLimit?: number;
  /** A body of text/csv is read as this member. */
  csvMember?: string;
  /** The legacy surface answers without its envelope, as `POST users/me/projects` always did. */
  bareOnLegacy?: true;
  /** Answers a CSV table with Accept: text/csv. */
  alsoCsv?: true;
  /** Answers a browser with an HTML page instead of JSON, and sends a person who is not signed in to the sign-in page. */
  alsoHtml?: true;
}

export interface ListRoute extends RouteBase {
  listed: LegacyList;
  countsErased?: true;
  showsTotal?: true;
  alsoCsv?: true;
}

/** A reply that is written while it is read: a table, a JSON document, events where text/event-stream is requested, or events without an end. */
interface StreamRoute extends RouteBase {
  streamed: 'table' | 'json' | 'events' | 'live';
}

/** A table that is read while it arrives: text/csv or a form with a file; JSON is read as a resource. */
interface UploadRoute extends RouteBase {
  /** Largest upload in bytes, unpacked. */
  maxUploadBytes: number;
  body: Shape;
  success?: Success;
}

type AnyMember = keyof ResourceRoute | keyof ListRoute | keyof StreamRoute | keyof UploadRoute;
/** Members of the other kinds are not allowed, and read as undefined. */
type Only<Kind> = Kind & { readonly [Member in Exclude<AnyMember, keyof Kind>]?: undefined };

export interface RouteKinds {
  resource: Only<ResourceRoute>;
  list: Only<ListRoute>;
  stream: Only<StreamRoute>;
  upload: Only<UploadRoute>;
}
export type RouteKind = keyof RouteKinds;
export type RouteDeclaration = RouteKinds[RouteKind];

export function kindOf({ listed, streamed, maxUploadBytes }: RouteDeclaration): RouteKind {
  if (listed) return 'list';
  if (streamed) return 'stream';
  return maxUploadBytes ? 'upload' : 'resource';
}

export interface DeclaredRoute {
  method: Method;
  path: string;
  /** With the noun of its source the `operationId`, which clients see. */
  name: string;
  declaration: RouteDeclaration;
}

export type Handler = (request: RouteRequest) => Promise<object>;

const routesKey = Symbol('posthorn:routes');

export function routesOf(controller: object): readonly DeclaredRoute[] {
  return (Reflect.getOwnMetadata(routesKey, controller) as DeclaredRoute[] | undefined) ?? [];
}

const declare =
  (method: Method) =>
  (path: string, declaration: RouteDeclaration): MethodDecorator =>
  (target, name) => {
    const controller = target.constructor;
    const route: DeclaredRoute = { method, path, name: String(name), declaration };
    Reflect.defineMetadata(routesKey, [...routesOf(controller), route], controller);
  };

export const Get = declare('GET');
export const Post = declare('POST');
export const Put = declare('PUT');
export const Patch = declare('PATCH');
export const Delete = declare('DELETE');

export const surfacesOf = ({ surfaces: named }: RouteDeclaration): readonly Surface[] => named ?? surfaces;
export const callersOf = ({ callers }: RouteDeclaration): readonly CallerKind[] => callers ?? defaultCallers;
const defaultCallers: readonly CallerKind[] = ['SECRET', 'SESSION', 'TOKEN'];
export const scopesOf = ({ scope, orScope }: RouteDeclaration): readonly Scope[] =>
  orScope ? [scope, orScope] : [scope];
export const allCallers: readonly CallerKind[] = ['SECRET', 'PUBLIC', 'SESSION', 'TOKEN'];
export const successOf = ({ success = 'done' }: RouteDeclaration): Success => success;
