import { APIError } from 'better-auth/api';
import type { Request, Method } from '../people/library/store-method.js';
import { chosenProject } from './chosen-project.js';

const noSuchRow = '23503';
const isToken = ({ model }: Request): boolean =>
  model === 'oauthAccessToken' || model === 'oauthRefreshToken';

/** A person grants for one project, which they choose each time: until they have, they have granted nothing. */
const isUngranted = ({ model }: Request): boolean =>
  model === 'oauthConsent' && chosenProject() === undefined;

/** What the library keeps of grants, as we mean them. */
export function forGrants(name: string, method: Method): Method {
  if (name === 'findOne')
    return (request) => (isUngranted(request) ? Promise.resolve(null) : method(request));
  if (name === 'create') return (request) => (isToken(request) ? issue(request, method) : method(request));
  // Tokens know no session, so that none has to be looked for when one ends.
  if (name === 'findMany')
    return (request) => (isToken(request) && needsSession(request) ? Promise.resolve([]) : method(request));
  return method;
}

const needsSession = ({ where = [] }: Request): boolean => where.some(({ field }) => field === 'sessionId');

/** What is granted goes on when the session has ended in which it was; what is no longer granted is not issued. */
async function issue(request: Request, method: Method): Promise<unknown> {
  try {
    return await method({ ...request, data: { ...request.data, sessionId: null } });
  } catch (error) {
    if ((error as { code?: string }).code !== noSuchRow) throw error;
    throw new APIError('BAD_REQUEST', { error: 'invalid_grant', error_description: 'the grant has ended' });
  }
}
