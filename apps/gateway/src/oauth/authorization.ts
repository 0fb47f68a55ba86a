import { scopes } from '@posthorn/contracts';
import { authPath } from '../people/people-rules.js';

/** What an application asks for, as the library signed it. */
export interface Requested {
  /** The whole query: the library takes no other word for it. */
  query: string;
  clientId: string;
  redirectUri: string;
  scopes: string[];
  /** A session that is there already will not do (OpenID Connect Core 1.0 §3.1.2.1). */
  fresh: boolean;
}

/** What is asked for once a person has signed in: prompts are answered by then. */
const lasting = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
];

export function requestedOf(query: string): Requested | null {
  const requested = new URLSearchParams(query);
  const [clientId, redirectUri] = [requested.get('client_id'), requested.get('redirect_uri')];
  if (!clientId || !redirectUri || !URL.canParse(redirectUri)) return null;
  const scopes = (requested.get('scope') ?? '').split(' ').filter(Boolean);
  return {
    query,
    clientId,
    redirectUri,
    scopes,
    fresh: requested.has('max_age') || /\blogin\b/.test(requested.get('prompt') ?? ''),
  };
}

/** The path at which the same request begins again. */
export function resumed({ query }: Requested): string {
  const stored = [...new URLSearchParams(query)].filter(([name]) => lasting.includes(name));
  return `${authPath}/oauth2/authorize?${new URLSearchParams(stored).toString()}`;
}

/** A person knows a site by its host; an application on their device has a scheme only. */
export function destinationOf(url: string): string {
  const { protocol, host } = new URL(url);
  return protocol === 'https:' || protocol === 'http:' ? host : protocol;
}

/** Who asks for nothing in particular gets to read. */
export function withScope(path: string): string {
  const url = new URL(path, 'http://own.invalid');
  if (!url.searchParams.has('scope'))
    url.searchParams.set('scope', scopes.filter((scope) => scope.endsWith(':read')).join(' '));
  return url.pathname + url.search;
}
