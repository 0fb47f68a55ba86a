import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ServerClient, type Errors } from 'postmark';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';

let suite: GatewaySuite;
let key: string;
beforeAll(async () => {
  suite = await startGatewaySuite();
  key = (await suite.buildKey((await suite.buildProject()).projectId)).token;
});
afterAll(() => suite.stop());

const clientOf = (token: string) =>
  new ServerClient(token, {
    requestHost: `127.0.0.1:${suite.gateway.port}/api/compat/postmark`,
    useHttps: false,
  });
const refusalOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    ({ name, code, statusCode, message }: Errors.HttpError) => ({ name, code, statusCode, message }),
  );

describe('the official client, unmodified', () => {
  it('is told what is covered, and where the rest is, by every other method', async () => {
    const client = clientOf(key);
    const answers = await Promise.all([
      refusalOf(client.getBounces()),
      refusalOf(client.getServer()),
      refusalOf(client.getTemplates()),
      refusalOf(client.getOutboundMessages()),
      refusalOf(client.getDeliveryStatistics()),
      refusalOf(client.getOutboundOverview()),
      refusalOf(client.createWebhook({ Url: 'https://shop.example' })),
      refusalOf(client.editServer({ Name: 'Shop' })),
      refusalOf(client.archiveMessageStream('outbound')),
      refusalOf(client.deleteTemplate(1)),
      refusalOf(clientOf('sk_live_wrong').getServer()),
    ]);
    for (const answer of answers)
      expect(answer).toEqual({
        name: 'ApiInputError',
        statusCode: 422,
        code: 404,
        message: expect.stringMatching(
          /^This method is not part .* POST \/email and POST \/email\/batch only\. .*http:\/\/localhost:3000\/docs$/,
        ),
      });
    expect(answers.map((answer) => /\/api\/v1\/[a-z/?=A-Z]+/.exec(answer!.message)?.[0] ?? null)).toEqual([
      '/api/v1/emails?status=BOUNCED',
      null,
      '/api/v1/templates',
      '/api/v1/emails',
      '/api/v1/emails?status=BOUNCED',
      '/api/v1/analytics/timeseries',
      null,
      null,
      '/api/v1/suppressions',
      '/api/v1/templates',
      null,
    ]);
  });

  it('is told so whatever the method and the path', async () => {
    for (const below of ['', '/', '/email', '/email/batch/x', '/x%20y/../..%2Fz', '/ada@example.org'])
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', ...(below === '/email' ? [] : ['POST'])]) {
        const { status, text, headers } = await suite.request(method, `/api/compat/postmark${below}`, {
          body: method === 'GET' ? undefined : { any: 'thing' },
        });
        expect([method, below, status, headers.get('content-type')]).toEqual([
          ...[method, below, 422],
          'application/json; charset=utf-8',
        ]);
        expect(Object.keys(JSON.parse(text) as object)).toEqual(['ErrorCode', 'Message']);
        expect(text).not.toContain('ada@');
      }
  });
});
