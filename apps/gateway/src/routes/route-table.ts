import { scopes, type Shape } from '@posthorn/contracts';
import type { Surface } from './route-request.js';
import type { CallRoute, CallRoutes } from './calls.js';
import { isOfPattern } from '../wire/path-pattern.js';
import {
  projectParameter,
  successOf,
  routesOf,
  surfacesOf,
  type DeclaredRoute,
  type Method,
  type RouteDeclaration,
} from './route.js';

export type Controller = abstract new (...injected: never[]) => object;
/** Where routes are declared: a table of calls, or a controller with code. */
export type RouteSource = CallRoutes | Controller;

export interface Route {
  method: Method;
  /** With its prefix, such as `/api/v1/emails/:id`. */
  path: string;
  surface: Surface;
  noun: string;
  /** With the noun the `operationId`. */
  name: string;
  answeredBy: CallRoute['call'] | { controller: Controller };
  declaration: RouteDeclaration;
  /** Path parameters that are ids, without the project. */
  ids: readonly string[];
  addresses: readonly string[];
  numbers: readonly string[];
  projectInPath: boolean;
  /** It accepts mail to be sent: an unavailable service is `enqueue_failed` (docs/api-decisions.md §1), and the controller settles an unknown outcome itself. */
  isSend: boolean;
}

const addressParameter = 'email';
const numberParameter = 'version';
const prefixes: Record<Surface, string> = { v1: '/api/v1/', legacy: '/api/' };

export class RouteTable {
  constructor(readonly routes: readonly Route[]) {
    refuseTwins(routes);
  }

  at(path: string): Route[] {
    return this.routes.filter((route) => isOfPattern(route.path, path));
  }
}

/** Throws on an incomplete declaration, which stops the start. */
export function routeTable(sources: readonly RouteSource[]): RouteTable {
  return new RouteTable(sources.flatMap(declaredBy).flatMap(onSurfaces));
}

interface Declared extends DeclaredRoute, Pick<Route, 'noun' | 'answeredBy'> {}

function declaredBy(source: RouteSource): Declared[] {
  if (typeof source === 'object')
    return source.routes.map(({ call, ...route }) => ({ ...route, noun: source.noun, answeredBy: call }));
  const noun = nounOf(source.name);
  return routesOf(source).map((route) => ({ ...route, noun, answeredBy: { controller: source } }));
}

function nounOf(controller: string): string {
  const noun = controller.replace(/Controller$/, '');
  return noun[0]!.toLowerCase() + noun.slice(1);
}

function onSurfaces({ noun, name, answeredBy, method, path, declaration }: Declared): Route[] {
  refuseIncomplete(`${noun}.${name}`, method, path, declaration);
  const parameters = [...path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
  const named = parameters.filter((name) => name !== projectParameter);
  const isSend = successOf(declaration) === 'accepted' || successOf(declaration) === 'batch';
  return surfacesOf(declaration).map((surface) => ({
    method,
    path: `${prefixes[surface]}${surface === 'legacy' ? (declaration.legacyPath ?? path) : path}`,
    surface,
    noun,
    name,
    answeredBy,
    declaration: declarationOn(surface, declaration),
    ids: named.filter((name) => name !== addressParameter && name !== numberParameter),
    addresses: named.filter((name) => name === addressParameter),
    numbers: named.filter((name) => name === numberParameter),
    projectInPath: parameters.includes(projectParameter),
    isSend,
  }));
}

function declarationOn(surface: Surface, declaration: RouteDeclaration): RouteDeclaration {
  const { legacySuccess } = declaration;
  return surface === 'legacy' && legacySuccess ? { ...declaration, success: legacySuccess } : declaration;
}

function refuseIncomplete(name: string, method: Method, path: string, declaration: RouteDeclaration): void {
  const { summary, scope, body, reply, missing, listed } = declaration;
  const writes = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const gaps = [
    summary ? null : 'a summary',
    scopes.includes(scope) ? null : 'a scope',
    writes && body === undefined ? 'a body, or null for none' : null,
    isShape(reply) ? null : 'a reply',
    path.replace(`:${projectParameter}`, '').includes(':') && !missing ? 'what a missing id answers' : null,
    listed && method !== 'GET' ? 'the method GET for its list' : null,
    /^[a-z][a-z0-9/:_-]*$/i.test(path) ? null : 'a path without a leading slash',
  ].filter((gap) => gap !== null);
  if (gaps.length > 0) throw new Error(`the route ${name} (${method} ${path}) lacks ${gaps.join(', ')}`);
}

function refuseTwins(routes: readonly Route[]): void {
  const seen = new Set<string>();
  for (const { method, path } of routes) {
    const location = `${method} ${path.replace(/:\w+/g, ':')}`;
    if (seen.has(location)) throw new Error(`two routes answer ${location}`);
    seen.add(location);
  }
}

const isShape = (shape: unknown): shape is Shape => typeof shape === 'function';
