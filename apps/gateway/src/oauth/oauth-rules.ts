import { AsyncLocalStorage } from 'node:async_hooks';
import { scopes } from '@posthorn/contracts';
import type { GatewayConfig } from '../config.js';
import { authPath } from '../people/people-rules.js';
import { hasValidChecksum, mintChecked, tokenBody } from '../identity/checked-token.js';

/** Requests a refresh token in addition to the access token (OpenID Connect Core 1.0 §11). */
export const offlineAccess = 'offline_access';
export const delegableScopes: readonly string[] = [...scopes, offlineAccess];

export const accessTokenSeconds = 3_600;
export const refreshTokenSeconds = 30 * 24 * 3_600;
export const codeSeconds = 600;

export const oauthPaths = {
  authorize: `${authPath}/oauth2/authorize`,
  token: `${authPath}/oauth2/token`,
  revoke: `${authPath}/oauth2/revoke`,
  introspect: `${authPath}/oauth2/introspect`,
  register: `${authPath}/oauth2/register`,
} as const;

export const oauthPages = {
  signIn: '/oauth/sign-in',
  consent: '/oauth/consent',
  error: '/oauth/error',
} as const;

const baseOf = ({ publicUrl }: GatewayConfig): string => publicUrl.replace(/\/+$/, '');
/** The token issuer (RFC 8414 §2). */
export const issuerOf = (config: GatewayConfig): string => baseOf(config) + authPath;
/** The protected resource: both API surfaces (RFC 8707). */
export const resourceOf = (config: GatewayConfig): string => `${baseOf(config)}/api`;
/** Tells a client without a valid token where to get one (RFC 9728 §3). */
export const resourceMetadataUrlOf = (config: GatewayConfig): string =>
  `${baseOf(config)}/.well-known/oauth-protected-resource/api`;

const chosen = new AsyncLocalStorage<string>();

/** Sets the project that the user has chosen to grant access to; outside of this call nothing can be granted. */
export const granting = <T>(projectId: string, work: () => Promise<T>): Promise<T> =>
  chosen.run(projectId, work);

export const chosenProject = (): string | undefined => chosen.getStore();

const prefixes = { access: 'oat_', refresh: 'ort_', clientSecret: 'ocs_' } as const;
const pattern = new RegExp(`^${prefixes.access}${tokenBody}$`);

export const mintDelegatedToken = (kind: keyof typeof prefixes): string => mintChecked(prefixes[kind]);

/** Whether the text has the form of an access token; refresh tokens are not accepted by routes. */
export const isDelegatedToken = (token: string): boolean => pattern.test(token) && hasValidChecksum(token);
