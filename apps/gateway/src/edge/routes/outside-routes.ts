import { isOfPattern } from './path-pattern.js';
import { authPath } from '../../people/people-rules.js';

/** A route of neither dialect (docs/api-decisions.md §1: surface `none`): pages, sign-in, discovery, health and the documents. */
export interface OutsideRoute {
  methods: readonly ('GET' | 'POST' | 'OPTIONS')[];
  path: string;
  /** Whom it answers, in the words of the documents. */
  callers: string;
  says: string;
}

const page = (path: string, says: string, callers = 'everybody'): OutsideRoute => ({
  methods: ['GET', 'POST'],
  path,
  callers,
  says,
});
const look = (path: string, says: string): OutsideRoute => ({
  methods: ['GET'],
  path,
  callers: 'everybody',
  says,
});
const application = (path: string, says: string): OutsideRoute => ({
  methods: ['POST'],
  path: `${authPath}/oauth2/${path}`,
  callers: 'applications, from any origin',
  says,
});
const compatible = (path: string, says: string): OutsideRoute => ({
  methods: ['POST'],
  path: `/api/compat/postmark/${path}`,
  callers: 'secret keys, in X-Postmark-Server-Token',
  says,
});
const account = 'who is signed in';

/** All of them: a test holds this list against what is really served. */
export const outsideRoutes: readonly OutsideRoute[] = [
  look(
    '/',
    'where to begin: the account or `/sign-in` in a browser, else the addresses of the documents as JSON',
  ),
  look('/healthz', 'whether the gateway lives'),
  look('/openapi.json', 'the API for generators'),
  look('/docs', 'the API for people'),
  look('/docs/*', 'what `/docs` is made of, and every error code'),
  look('/pages/*', 'the stylesheet of all pages'),
  look('/t/o/:token', 'the pixel of a mail, as `<token>.gif`'),
  look('/t/c/:token', 'the links of a mail'),
  page('/u/:token', 'unsubscribe, by its page or by one click (RFC 8058)', 'whoever has the link'),
  page(
    '/api/lists/confirm-subscription',
    'confirm a subscription, by its page, POST or JSON',
    'whoever has the link',
  ),
  page('/api/v1/lists/confirm-subscription', 'the same', 'whoever has the link'),
  compatible('email', 'send one message'),
  compatible('email/batch', 'send up to 500 messages'),
  compatible('email/withTemplate', 'says that templates are not supported'),
  compatible('email/batchWithTemplates', 'says that templates are not supported'),
  page('/sign-in', 'sign in'),
  page('/sign-in/code', 'the second factor'),
  page('/sign-out', 'sign out'),
  page('/sign-up', 'sign up'),
  page('/verify-email', 'confirm an address'),
  page('/verify-email/again', 'another link to confirm it'),
  page('/forgot-password', 'ask for a link'),
  page('/reset-password', 'choose a new password'),
  look('/account', 'sessions and passwords'),
  page('/account/*', 'changes of the account', account),
  page('/invitations/accept', 'join a project', account),
  look('/oauth/sign-in', 'to sign in and back'),
  page('/oauth/consent', 'let an application in', account),
  look('/oauth/error', 'why an application cannot be let in'),
  {
    methods: ['GET', 'POST', 'OPTIONS'],
    path: `${authPath}/*`,
    callers: 'pages of trusted origins',
    says: 'people (better-auth)',
  },
  look(`${authPath}/oauth2/authorize`, 'where an application sends a person'),
  application('token', 'tokens (RFC 6749)'),
  application('revoke', 'revocation (RFC 7009)'),
  application('introspect', 'introspection (RFC 7662)'),
  application('register', 'registration (RFC 7591)'),
  { methods: ['OPTIONS'], path: `${authPath}/oauth2/*`, callers: 'every origin', says: 'preflight' },
  { methods: ['OPTIONS'], path: '/.well-known/*', callers: 'every origin', says: 'preflight' },
  look('/.well-known/oauth-authorization-server', 'discovery (RFC 8414)'),
  look('/.well-known/oauth-authorization-server/api/auth', 'discovery (RFC 8414)'),
  look('/.well-known/oauth-protected-resource', 'discovery (RFC 9728)'),
  look('/.well-known/oauth-protected-resource/api', 'discovery (RFC 9728)'),
];

/** Whether this is what is listed there. */
export const isListedAs = (
  { methods, path }: OutsideRoute,
  served: { method: string; path: string },
): boolean => methods.some((each) => each === served.method) && isOfPattern(path, served.path);
