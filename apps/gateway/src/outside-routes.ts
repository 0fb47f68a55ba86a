import type { Method } from './routes/route.js';
import { isOfPattern } from './wire/path-pattern.js';
import { guessedPages } from './pages/guessed-pages.js';
import { authPath } from './people/people-rules.js';

/** Routes that belong to neither dialect (docs/api-decisions.md §1, surface `none`). */
export interface OutsideRoute {
  methods: readonly (Method | 'OPTIONS')[];
  path: string;
}

const outside = (methods: OutsideRoute['methods'], paths: readonly string[]): OutsideRoute[] =>
  paths.map((path) => ({ methods, path }));
const postmark = '/api/compat/postmark';
const postmarkMails = ['email', 'email/batch', 'email/withTemplate', 'email/batchWithTemplates'];
const tokens = ['token', 'revoke', 'introspect', 'register'];

/** A test compares this list with the routes that are served. */
export const outsideRoutes: readonly OutsideRoute[] = [
  ...outside(['GET'], ['/', '/healthz', '/openapi.json', '/docs', '/docs/*', '/pages/*', '/account']),
  ...outside(
    ['GET'],
    Object.keys(guessedPages).map((name) => `/${name}`),
  ),
  // Links in mail: whoever has the link may follow it.
  ...outside(['GET'], ['/t/o/:token', '/t/c/:token', '/a/:projectId/:archiveId', '/u']),
  ...outside(['GET', 'POST'], ['/p/:token', '/u/:token']),
  ...outside(['GET', 'POST'], ['/api/lists/confirm-subscription', '/api/v1/lists/confirm-subscription']),
  // Providers, by their signature or secret.
  ...outside(['POST'], ['/hooks/ses', '/hooks/provider/:name']),
  // Secret keys, in X-Postmark-Server-Token.
  ...outside(
    ['POST'],
    postmarkMails.map((path) => `${postmark}/${path}`),
  ),
  ...outside(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], [postmark, `${postmark}/*`]),
  ...outside(['GET', 'POST'], ['/sign-in', '/sign-in/code', '/sign-out', '/sign-up']),
  ...outside(
    ['GET', 'POST'],
    ['/verify-email', '/verify-email/again', '/forgot-password', '/reset-password'],
  ),
  // A signed-in person.
  ...outside(['GET', 'POST'], ['/account/*', '/invitations/accept', '/oauth/consent']),
  ...outside(['GET'], ['/oauth/sign-in', '/oauth/error', `${authPath}/oauth2/authorize`]),
  // Pages of trusted origins.
  ...outside(['GET', 'POST', 'OPTIONS'], [`${authPath}/*`]),
  // Applications, from any origin.
  ...outside(
    ['POST'],
    tokens.map((path) => `${authPath}/oauth2/${path}`),
  ),
  ...outside(['OPTIONS'], [`${authPath}/oauth2/*`, '/.well-known/*']),
  ...outside(
    ['GET'],
    ['server', 'server/api/auth'].map((path) => `/.well-known/oauth-authorization-${path}`),
  ),
  ...outside(
    ['GET'],
    ['resource', 'resource/api'].map((path) => `/.well-known/oauth-protected-${path}`),
  ),
];

export const isListedAs = (
  { methods, path }: OutsideRoute,
  served: { method: string; path: string },
): boolean => methods.some((each) => each === served.method) && isOfPattern(path, served.path);
