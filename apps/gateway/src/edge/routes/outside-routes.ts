import type { Method } from './route.js';
import { isOfPattern } from './path-pattern.js';
import { guessedPages } from '../../pages/guessed-pages.js';
import { authPath } from '../../people/people-rules.js';

/** A route that belongs to neither dialect (docs/api-decisions.md §1, surface `none`). */
export interface OutsideRoute {
  methods: readonly (Method | 'OPTIONS')[];
  path: string;
  callers: string;
  summary: string;
}

const htmlPage = (path: string, summary: string, callers = 'everybody'): OutsideRoute => ({
  methods: ['GET', 'POST'],
  path,
  callers,
  summary,
});
const readOnly = (path: string, summary: string): OutsideRoute => ({
  methods: ['GET'],
  path,
  callers: 'everybody',
  summary,
});
const application = (path: string, summary: string): OutsideRoute => ({
  methods: ['POST'],
  path: `${authPath}/oauth2/${path}`,
  callers: 'applications, from any origin',
  summary,
});
const compatible = (path: string, summary: string): OutsideRoute => ({
  methods: ['POST'],
  path: `/api/compat/postmark/${path}`,
  callers: 'secret keys, in X-Postmark-Server-Token',
  summary,
});
const hook = (path: string, summary: string): OutsideRoute => ({
  methods: ['POST'],
  path,
  callers: 'the provider, by its signature or secret',
  summary,
});
const account = 'a signed-in person';

/** A test compares this list with the routes that are served. */
export const outsideRoutes: readonly OutsideRoute[] = [
  readOnly(
    '/',
    'entry point: the account or `/sign-in` in a browser, else the addresses of the documents as JSON',
  ),
  ...Object.keys(guessedPages).map((name) =>
    readOnly(`/${name}`, 'leads a browser to the account, `/sign-in` or `/sign-up`'),
  ),
  readOnly('/healthz', 'liveness of the gateway'),
  readOnly('/openapi.json', 'the OpenAPI document'),
  readOnly('/docs', 'the API reference'),
  readOnly('/docs/*', 'assets of `/docs`, and a page for each error code'),
  readOnly('/pages/*', 'the stylesheet of all pages'),
  readOnly('/t/o/:token', 'the pixel of a mail, as `<token>.gif`'),
  readOnly('/t/c/:token', 'the links of a mail'),
  { ...readOnly('/a/:projectId/:archiveId', 'a published campaign'), callers: 'anybody with the link' },
  htmlPage('/p/:token', 'what a reader receives, and how to leave or come back', 'anybody with the link'),
  readOnly('/u', 'where the links to leave of a published campaign lead'),
  htmlPage('/u/:token', 'unsubscribe, by its page or by one click (RFC 8058)', 'anybody with the link'),
  hook('/hooks/ses', 'events of Amazon SES, through Amazon SNS'),
  hook('/hooks/provider/:name', 'events of postmark, sendgrid, mailgun or brevo'),
  htmlPage(
    '/api/lists/confirm-subscription',
    'confirm a subscription, by its page, POST or JSON',
    'anybody with the link',
  ),
  htmlPage('/api/v1/lists/confirm-subscription', 'the same', 'anybody with the link'),
  compatible('email', 'send one message'),
  compatible('email/batch', 'send up to 500 messages'),
  compatible('email/withTemplate', 'answers that templates are not supported'),
  compatible('email/batchWithTemplates', 'answers that templates are not supported'),
  ...['/api/compat/postmark', '/api/compat/postmark/*'].map((path): OutsideRoute => ({
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    path,
    callers: 'everybody',
    summary: 'answers in the shape of Postmark that the method is not covered, and where to find it',
  })),
  htmlPage('/sign-in', 'sign in'),
  htmlPage('/sign-in/code', 'the second factor'),
  htmlPage('/sign-out', 'sign out'),
  htmlPage('/sign-up', 'sign up'),
  htmlPage('/verify-email', 'confirm an e-mail address'),
  htmlPage('/verify-email/again', 'request another confirmation link'),
  htmlPage('/forgot-password', 'request a reset link'),
  htmlPage('/reset-password', 'choose a new password'),
  readOnly('/account', 'sessions and passwords'),
  htmlPage('/account/*', 'changes of the account', account),
  htmlPage('/invitations/accept', 'join a project', account),
  readOnly('/oauth/sign-in', 'sign in and return'),
  htmlPage('/oauth/consent', 'authorize an application', account),
  readOnly('/oauth/error', 'why an application cannot be authorized'),
  {
    methods: ['GET', 'POST', 'OPTIONS'],
    path: `${authPath}/*`,
    callers: 'pages of trusted origins',
    summary: 'people (better-auth)',
  },
  readOnly(`${authPath}/oauth2/authorize`, 'authorization endpoint (RFC 6749)'),
  application('token', 'tokens (RFC 6749)'),
  application('revoke', 'revocation (RFC 7009)'),
  application('introspect', 'introspection (RFC 7662)'),
  application('register', 'registration (RFC 7591)'),
  { methods: ['OPTIONS'], path: `${authPath}/oauth2/*`, callers: 'every origin', summary: 'preflight' },
  { methods: ['OPTIONS'], path: '/.well-known/*', callers: 'every origin', summary: 'preflight' },
  readOnly('/.well-known/oauth-authorization-server', 'discovery (RFC 8414)'),
  readOnly('/.well-known/oauth-authorization-server/api/auth', 'discovery (RFC 8414)'),
  readOnly('/.well-known/oauth-protected-resource', 'discovery (RFC 9728)'),
  readOnly('/.well-known/oauth-protected-resource/api', 'discovery (RFC 9728)'),
];

export const isListedAs = (
  { methods, path }: OutsideRoute,
  served: { method: string; path: string },
): boolean => methods.some((each) => each === served.method) && isOfPattern(path, served.path);
