import { oauthProvider } from '@better-auth/oauth-provider';
import type { GatewayConfig } from '../config.js';
import { hashOfToken } from '../identity/token-hash.js';
import { chosenProject } from './chosen-project.js';
import { mintDelegatedToken } from './delegated-token.js';
import { accessTokenSeconds, codeSeconds, delegableScopes, oauthPages, refreshTokenSeconds, resourceOf } from './oauth-rules.js';
import type { ClientSecrets } from './client-secrets.js';

const perMinute = (max: number) => ({ window: 60, max });

/** The library's authorization server with our tables, tokens and pages: opaque tokens of one project each (0013). */
export const oauthPlugin = (config: GatewayConfig, secrets: ClientSecrets) =>
  oauthProvider({
    scopes: [...delegableScopes],
    grantTypes: ['authorization_code', 'refresh_token'],
    resources: [{ identifier: resourceOf(config), name: 'Posthorn' }],
    // Whoever may ask for tokens at all may ask for the one resource that there is.
    enforcePerClientResources: false,
    allowDynamicClientRegistration: true,
    allowUnauthenticatedClientRegistration: config.clientRegistration,
    disableJwtPlugin: true,
    storeClientSecret: secrets,
    storeTokens: { hash: (token) => Promise.resolve(hashOfToken(token)) },
    generateOpaqueAccessToken: () => mintDelegatedToken('access'),
    generateClientSecret: () => mintDelegatedToken('clientSecret'),
    generateRefreshToken: () => mintDelegatedToken('refresh'),
    accessTokenExpiresIn: accessTokenSeconds,
    refreshTokenExpiresIn: refreshTokenSeconds,
    codeExpiresIn: codeSeconds,
    loginPage: oauthPages.signIn,
    consentPage: oauthPages.consent,
    postLogin: {
      page: oauthPages.consent,
      shouldRedirect: () => false,
      consentReferenceId: chosenProject,
    },
    // Servers of many people ask from one address.
    rateLimit: {
      token: perMinute(600),
      introspect: perMinute(600),
      revoke: perMinute(600),
      authorize: perMinute(60),
      register: perMinute(20),
    },
    schema: {
      oauthClient: { modelName: 'oauth_clients' },
      oauthResource: { modelName: 'oauth_resources' },
      oauthClientResource: { modelName: 'oauth_client_resources' },
      oauthRefreshToken: { modelName: 'oauth_refresh_tokens' },
      oauthAccessToken: { modelName: 'oauth_access_tokens' },
      oauthConsent: { modelName: 'oauth_consents' },
      oauthClientAssertion: { modelName: 'oauth_client_assertions' },
    },
  });
