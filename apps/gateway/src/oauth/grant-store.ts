import { APIError } from 'better-auth/api';
import { chosenProject } from './oauth-rules.js';

export type Row = Record<string, unknown>;

export interface Condition {
  field: string;
  value: unknown;
}

export interface Request {
  model: string;
  where?: Condition[];
  data?: Row;
  update?: Row;
}

export type Method = (request: Request) => Promise<unknown>;

const noSuchRow = '23503';
const isToken = ({ model }: Request): boolean =>
  model === 'oauthAccessToken' || model === 'oauthRefreshToken';

/** The user chooses the project of every grant, so existing consents are hidden until then. */
const isUngranted = ({ model }: Request): boolean =>
  model === 'oauthConsent' && chosenProject() === undefined;

export function forGrants(name: string, method: Method): Method {
  if (name === 'findOne')
    return (request) => (isUngranted(request) ? Promise.resolve(null) : method(request));
  if (name === 'create') return (request) => (isToken(request) ? issue(request, method) : method(request));
  // Tokens are not bound to sessions, so none end with a session.
  if (name === 'findMany')
    return (request) => (isToken(request) && needsSession(request) ? Promise.resolve([]) : method(request));
  return method;
}

const needsSession = ({ where = [] }: Request): boolean => where.some(({ field }) => field === 'sessionId');

/** A grant outlives the session in which it was made, but no token is issued for a revoked grant. */
async function issue(request: Request, method: Method): Promise<unknown> {
  try {
    return await method({ ...request, data: { ...request.data, sessionId: null } });
  } catch (error) {
    if ((error as { code?: string }).code !== noSuchRow) throw error;
    throw new APIError('BAD_REQUEST', { error: 'invalid_grant', error_description: 'the grant was revoked' });
  }
}
