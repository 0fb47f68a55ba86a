import { scopes } from '@posthorn/contracts';
import { oauthPaths } from './oauth-rules.js';

export interface Requested {
  /** The whole query, which the library verifies. */
  query: string;
  clientId: string;
  redirectUri: string;
  scopes: string[];
  /** The application requires a new sign-in (OpenID Connect Core 1.0 §3.1.2.1). */
  fresh: boolean;
}

/** Parameters kept after sign-in, when prompts have been answered. */
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

export function resumed({ query }: Requested): string {
  const stored = [...new URLSearchParams(query)].filter(([name]) => lasting.includes(name));
  return `${oauthPaths.authorize}?${new URLSearchParams(stored).toString()}`;
}

/** Sites are recognised by their host; applications on a device have only a scheme. */
export function destinationOf(url: string): string {
  const { protocol, host } = new URL(url);
  return protocol === 'https:' || protocol === 'http:' ? host : protocol;
}

/** Without a scope parameter, an application gets read access. */
export function withScope(query: string): string {
  const requested = new URLSearchParams(query);
  if (!requested.has('scope'))
    requested.set('scope', scopes.filter((scope) => scope.endsWith(':read')).join(' '));
  return requested.toString();
}
