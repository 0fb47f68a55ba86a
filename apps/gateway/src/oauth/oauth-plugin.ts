import { oauthProvider } from '@better-auth/oauth-provider';
import type { Secrets } from '@posthorn/platform';
import type { GatewayConfig } from '../config.js';
import { hashOfToken } from '../identity/tokens.js';
import type { PeopleKeys } from '../people/library/people-keys.js';
import {
  accessTokenSeconds,
  codeSeconds,
  delegableScopes,
  oauthPages,
  refreshTokenSeconds,
  resourceOf,
  chosenProject,
  mintDelegatedToken,
} from './oauth-rules.js';
import { sharedPlaceId } from '../secrets/sealed-tables.js';

const perMinute = (max: number) => ({ window: 60, max });

/** Configures the library's authorization server: opaque tokens, each for one project (0013). */
export const oauthPlugin = (config: GatewayConfig, { secrets, registration }: PeopleKeys) =>
  oauthProvider({
    scopes: [...delegableScopes],
    grantTypes: ['authorization_code', 'refresh_token'],
    resources: [{ identifier: resourceOf(config), name: 'Posthorn' }],
    // Every client that may request tokens may request the only resource.
    enforcePerClientResources: false,
    // Cookies are not passed on, so a registering client is anonymous or the operator.
    allowDynamicClientRegistration: true,
    validateInitialAccessToken: ({ initialAccessToken }) =>
      hashOfToken(initialAccessToken) === hashOfToken(registration) && {},
    allowUnauthenticatedClientRegistration: config.clientRegistration,
    disableJwtPlugin: true,
    storeClientSecret: clientSecrets(secrets),
    storeTokens: { hash: (token) => Promise.resolve(hashOfToken(token)) },
    generateOpaqueAccessToken: () => mintDelegatedToken('access'),
    generateClientSecret: () => mintDelegatedToken('clientSecret'),
    generateRefreshToken: () => mintDelegatedToken('refresh'),
    accessTokenExpiresIn: accessTokenSeconds,
    refreshTokenExpiresIn: refreshTokenSeconds,
    codeExpiresIn: codeSeconds,
    // The application learns the project of its token only from here.
    customTokenResponseFields: ({ verificationValue }) =>
      verificationValue?.referenceId ? { project_id: verificationValue.referenceId } : {},
    loginPage: oauthPages.signIn,
    consentPage: oauthPages.consent,
    postLogin: {
      page: oauthPages.consent,
      shouldRedirect: () => false,
      consentReferenceId: chosenProject,
    },
    // Servers with many users call from one address; registrations are rare, and each is stored for a while.
    rateLimit: {
      token: perMinute(600),
      introspect: perMinute(600),
      revoke: perMinute(600),
      authorize: perMinute(60),
      register: { window: 3_600, max: 60 },
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

interface ClientSecrets {
  encrypt(secret: string): Promise<string>;
  decrypt(sealed: string): Promise<string>;
}

/** The library does not tell which row a secret belongs to, so the sealed secret is bound only to the table. */
function clientSecrets(secrets: Secrets): ClientSecrets {
  const location = { table: 'oauth_clients', projectId: null, id: sharedPlaceId };
  return {
    encrypt: (secret) => Promise.resolve(secrets.seal(secret, location)),
    decrypt: (sealed) => Promise.resolve(secrets.open(sealed, location)),
  };
}
