import { Logger } from '@nestjs/common';
import type { Database } from '@posthorn/database';
import { newId } from '@posthorn/database';
import { betterAuth } from 'better-auth';
import { isAPIError } from 'better-auth/api';
import { twoFactor } from 'better-auth/plugins/two-factor';
import type { GatewayConfig } from '../../config.js';
import type { DelegationsService } from '../../oauth/delegations.service.js';
import type { PeopleKeys } from './people-keys.js';
import { oauthPlugin } from '../../oauth/oauth-plugin.js';
import { oauthPages } from '../../oauth/oauth-rules.js';
import type { SignInLimits } from '../sign-in-limits/sign-in-limits.js';
import { addressHeader, authPath, maxPassword, shortestPassword, isOwnPath } from '../people-rules.js';
import type { PeopleMails } from '../people-mails.js';
import { openPeopleStore } from './people-store.js';

const linkSeconds = 3_600;

export interface AuthParts {
  config: GatewayConfig;
  database: Database;
  attempts: SignInLimits;
  mails: PeopleMails;
  keys: PeopleKeys;
  delegations: DelegationsService;
}

export type Auth = Awaited<ReturnType<typeof openAuth>>;

export async function openAuth({ config, database, attempts, mails, keys, delegations }: AuthParts) {
  const log = new Logger('People');
  return betterAuth({
    appName: 'Posthorn',
    baseURL: config.publicUrl,
    basePath: authPath,
    secret: keys.own.value,
    trustedOrigins: config.trustedOrigins,
    telemetry: { enabled: false },
    database: await openPeopleStore(database, (userId) => delegations.endAllOf(userId)),
    ...tables,
    emailAndPassword: {
      enabled: true,
      requireEmailVerification: true,
      autoSignIn: false,
      minPasswordLength: shortestPassword,
      maxPasswordLength: maxPassword,
      revokeSessionsOnPasswordReset: true,
      resetPasswordTokenExpiresIn: linkSeconds,
      sendResetPassword: ({ user, token }) => mails.resetPassword(user, token),
      onExistingUserSignUp: ({ user }) => mails.alreadyHere(user),
    },
    emailVerification: {
      sendOnSignUp: true,
      sendOnSignIn: true,
      expiresIn: linkSeconds,
      sendVerificationEmail: ({ user, url, token }) => mails.verifyAddress(user, token, nextOf(url)),
    },
    plugins: [
      twoFactor({ issuer: 'Posthorn', schema: { twoFactor: { modelName: 'auth_two_factors' } } }),
      oauthPlugin(config, keys),
    ],
    rateLimit: {
      enabled: true,
      window: 60,
      max: 100,
      customStorage: { consume: (key, rule) => attempts.take(key, rule) },
    },
    advanced: {
      // Secure cookies would get another name depending on the URL; the `secure` attribute does not change it.
      useSecureCookies: false,
      defaultCookieAttributes: {
        httpOnly: true,
        sameSite: 'lax',
        secure: config.publicUrl.startsWith('https:'),
      },
      database: { generateId: newId },
      ipAddress: { ipAddressHeaders: [addressHeader] },
    },
    // Messages of the library contain personal data; its exceptions are logged by the edge.
    logger: { level: 'error', log: (_, message) => log.warn(message) },
    onAPIError: { onError: refuseToAnswer, errorURL: new URL(oauthPages.error, config.publicUrl).href },
  });
}

const tables = {
  user: { modelName: 'auth_users' },
  session: { modelName: 'auth_sessions', cookieCache: { enabled: false } },
  account: { modelName: 'auth_accounts' },
  verification: { modelName: 'auth_verifications', storeIdentifier: 'hashed' as const },
};

/** Errors other than the library's own, such as outages, are handled by the edge. */
function refuseToAnswer(error: unknown): void {
  if (!isAPIError(error)) throw error;
}

function nextOf(url: string): string | null {
  const next = new URL(url).searchParams.get('callbackURL');
  return next !== null && next !== '/' && isOwnPath(next) ? next : null;
}
