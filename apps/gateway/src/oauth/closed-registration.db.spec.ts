import { describe, expect, it } from '@jest/globals';
import { noProject, applications } from '@posthorn/contracts';
import { callback } from '../testing/application.js';
import { operatorOf } from '../testing/gateway-suite.js';
import { startPeopleSuite } from '../testing/people-suite.js';

describe('closed registration', () => {
  it('is possible for the operator only', async () => {
    const closed = await startPeopleSuite({ OAUTH_CLIENT_REGISTRATION: 'false' });
    try {
      const metadata = { client_name: 'Mine', redirect_uris: [callback], token_endpoint_auth_method: 'none' };
      const refused = await closed.request('POST', '/api/auth/oauth2/register', {
        body: metadata,
        key: 'sk_no',
      });
      expect(refused.status).toBe(401);
      const person = await closed.buildPerson('ada@example.com');
      expect((await person.post('/api/auth/oauth2/register', metadata)).status).toBe(401);
      const published = (await closed.request('GET', '/.well-known/oauth-authorization-server')).json;
      expect([
        published['registration_endpoint'],
        published['token_endpoint_auth_methods_supported'],
      ]).toEqual([undefined, expect.arrayContaining(['none'])]);
      const { clientId, clientSecret } = await closed.bus.call(applications.register, operatorOf(noProject), {
        name: 'The shop',
        redirectUri: 'https://shop.example/callback',
        isPublic: false,
      });
      expect(clientSecret).toMatch(/^ocs_/);
      const bad = { name: 'Bad', redirectUri: 'http://shop.example/callback', isPublic: false };
      await expect(closed.bus.call(applications.register, operatorOf(noProject), bad)).rejects.toMatchObject({
        kind: 'malformed',
      });
      await closed.bus.call(applications.remove, operatorOf(noProject), { clientId });
      await expect(
        closed.bus.call(applications.remove, operatorOf(noProject), { clientId }),
      ).rejects.toMatchObject({
        kind: 'not_found',
      });
    } finally {
      await closed.stop();
    }
  });
});
