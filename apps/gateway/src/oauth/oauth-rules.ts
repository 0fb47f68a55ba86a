import { scopes } from '@posthorn/contracts';
import type { GatewayConfig } from '../config.js';
import { authPath } from '../people/people-rules.js';

/** Asks for a refresh token beside the access token (OpenID Connect Core 1.0 §11). */
export const offlineAccess = 'offline_access';
export const delegableScopes: readonly string[] = [...scopes, offlineAccess];

export const accessTokenSeconds = 3_600;
export const refreshTokenSeconds = 30 * 24 * 3_600;
export const codeSeconds = 600;

/** Where people are sent in between. */
export const oauthPages = {
  signIn: '/oauth/sign-in',
  consent: '/oauth/consent',
  error: '/oauth/error',
} as const;

const baseOf = ({ publicUrl }: GatewayConfig): string => publicUrl.replace(/\/+$/, '');
/** Who issues tokens (RFC 8414 §2). */
export const issuerOf = (config: GatewayConfig): string => baseOf(config) + authPath;
/** What tokens are for: both surfaces (RFC 8707). */
export const resourceOf = (config: GatewayConfig): string => `${baseOf(config)}/api`;
/** Where a client that was refused learns whom to ask (RFC 9728 §3). */
export const resourceMetadataUrlOf = (config: GatewayConfig): string =>
  `${baseOf(config)}/.well-known/oauth-protected-resource/api`;
