import 'reflect-metadata';
import type { DomainError, MemberRole, Scope, Shape } from '@posthorn/contracts';
import type { CallerKind } from '../../identity/credential.js';
import { surfaces, type Call, type Surface } from './call.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** How a call ends well; the status of each is the dialect's. */
export type Outcome = 'done' | 'created' | 'sent' | 'queued' | 'deleted' | 'batch';
/** How the legacy surface wraps the page of this route (docs/api-decisions.md §1); v1 has one way. `nested` is that of snippets, `whole` is no page there, but all. */
export type LegacyPage = 'items' | 'flat' | 'nested' | 'whole';

/** Everything that the guard, the dialects and the documents know of a route. */
export interface RouteDeclaration {
  /** What it does, in a few words for the documents. */
  summary: string;
  scope: Scope;
  /** Whoever has this one instead may come, too. */
  orScope?: Scope;
  /** Secret keys, sessions and delegated tokens unless said otherwise; public keys only where they are named (docs/api-decisions.md §2). */
  callers?: readonly CallerKind[];
  /** Of people, only those with such a role; whoever has the scope unless said otherwise. */
  roles?: readonly MemberRole[];
  /**
   * Whose project it is about: the credential's (for sessions and tokens of a person, `x-project-id`) unless the path names one
   * as `:projectId`; `NONE` stands above projects.
   */
  project?: 'NONE';
  /** One surface only, where the two differ in more than names. */
  surfaces?: readonly Surface[];
  /** Where the legacy surface calls it otherwise (the API specification), with the same parameters. */
  legacyPath?: string;
  /** Required for POST, PUT and PATCH; `null` says that there is none. */
  body?: Shape | null;
  query?: Shape;
  /** What the reply is made of; for a page, the shape of one item. */
  reply: Shape;
  outcome?: Outcome;
  /** Where the legacy surface ends otherwise: a deletion answers success there, and nothing else (the API specification). */
  legacyOutcome?: Outcome;
  /** The list of the body whose entries stand for themselves: each is read, and answered, alone; by place in the reply, or by the outcome `batch`. */
  eachOf?: string;
  /** The reply is a page of items, newest first. */
  paged?: LegacyPage;
  /** Each page says how many more there are of people who were erased. */
  countsErased?: true;
  /** What a malformed or foreign id in the path answers; required where the path has an id. */
  missing?: () => DomainError;
  /** Takes an `Idempotency-Key`. */
  idempotent?: boolean;
  /** Largest body in bytes; 1 MiB unless said otherwise. */
  bodyLimit?: number;
  /** Allowed while the project is disabled; reads always are (docs/api-decisions.md §3). */
  whileDisabled?: boolean;
  /** Other names that the legacy surface has for members of the query. */
  legacyQueryNames?: Readonly<Record<string, string>>;
  /** The quirk of `POST users/me/projects`: the legacy surface answers the bare row (the API specification). */
  bareOnLegacy?: true;
  /** A body of text/csv is read as this member. */
  textAs?: string;
  /** A body of text/csv, or a form with a file, is not read but handed over as it comes, of at most `streams` bytes; its query may stand in the form. */
  streams?: number;
  /** Answers each state of its resource as an event where text/event-stream is asked for. */
  followed?: true;
  /** Answers all of its pages as one table where text/csv is asked for, or whatever is asked for. */
  tabled?: true | 'always';
  /** Answers a page where a browser asks for one. */
  pages?: true;
  /** Further refusals, for the documents. */
  errors?: readonly (() => DomainError)[];
}

export interface DeclaredRoute {
  method: Method;
  path: string;
  handler: string;
  declaration: RouteDeclaration;
}

export type Handler = (call: Call) => Promise<object>;

const routesKey = Symbol('posthorn:routes');

/** The routes that a controller class declares. */
export function routesOf(controller: object): readonly DeclaredRoute[] {
  return (Reflect.getOwnMetadata(routesKey, controller) as DeclaredRoute[] | undefined) ?? [];
}

const declare =
  (method: Method) =>
  (path: string, declaration: RouteDeclaration): MethodDecorator =>
  (target, handler) => {
    const controller = target.constructor;
    const route: DeclaredRoute = { method, path, handler: String(handler), declaration };
    Reflect.defineMetadata(routesKey, [...routesOf(controller), route], controller);
  };

export const Get = declare('GET');
export const Post = declare('POST');
export const Patch = declare('PATCH');
export const Delete = declare('DELETE');

export const surfacesOf = ({ surfaces: named }: RouteDeclaration): readonly Surface[] => named ?? surfaces;
export const callersOf = ({ callers }: RouteDeclaration): readonly CallerKind[] => callers ?? defaultCallers;
const defaultCallers: readonly CallerKind[] = ['SECRET', 'SESSION', 'TOKEN'];
/** Any one of them is enough. */
export const scopesOf = ({ scope, orScope }: RouteDeclaration): readonly Scope[] =>
  orScope ? [scope, orScope] : [scope];
/** Everybody with a credential. */
export const allCallers: readonly CallerKind[] = ['SECRET', 'PUBLIC', 'SESSION', 'TOKEN'];
export const outcomeOf = ({ outcome }: RouteDeclaration): Outcome => outcome ?? 'done';
