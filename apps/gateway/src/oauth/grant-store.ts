import { APIError } from 'better-auth/api';
import type { Ask, Method } from '../people/store-method.js';
import { chosenProject } from './chosen-project.js';

const noSuchRow = '23503';
const isToken = ({ model }: Ask): boolean => model === 'oauthAccessToken' || model === 'oauthRefreshToken';

/** A person grants for one project, which they choose each time: until they have, they have granted nothing. */
const isUngranted = ({ model }: Ask): boolean => model === 'oauthConsent' && chosenProject() === undefined;

/** What the library keeps of grants, as we mean them. */
export function forGrants(name: string, method: Method): Method {
  if (name === 'findOne') return (ask) => (isUngranted(ask) ? Promise.resolve(null) : method(ask));
  if (name === 'create') return (ask) => (isToken(ask) ? issue(ask, method) : method(ask));
  // Tokens know no session, so that none has to be looked for when one ends.
  if (name === 'findMany') return (ask) => (isToken(ask) && asksForSession(ask) ? Promise.resolve([]) : method(ask));
  return method;
}

const asksForSession = ({ where = [] }: Ask): boolean => where.some(({ field }) => field === 'sessionId');

/** What is granted goes on when the session has ended in which it was; what is no longer granted is not issued. */
async function issue(ask: Ask, method: Method): Promise<unknown> {
  try {
    return await method({ ...ask, data: { ...ask.data, sessionId: null } });
  } catch (error) {
    if ((error as { code?: string }).code !== noSuchRow) throw error;
    throw new APIError('BAD_REQUEST', { error: 'invalid_grant', error_description: 'the grant has ended' });
  }
}
