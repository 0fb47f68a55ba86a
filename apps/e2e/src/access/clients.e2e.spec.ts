import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { surfaces, withPosthorn, type Surface } from '../testing/bad-input.js';
import { document } from '../testing/described.js';
import { GeneratedClient } from '../testing/generated-client.js';

const suite = withPosthorn();
const clients: Record<Surface, GeneratedClient> = {
  v1: new GeneratedClient(),
  legacy: new GeneratedClient(),
};

const isOfV1 = (path: string) => path.startsWith('/api/v1/');
const partOf = (surface: Surface) => ({
  ...document,
  paths: Object.fromEntries(
    Object.entries(document.paths).filter(([path]) => isOfV1(path) === (surface === 'v1')),
  ),
});

const configured = `
import { client } from './api/client.gen.js';
declare const process: { env: Record<string, string>; stdout: { write(text: string): void } };
client.setConfig({ baseUrl: process.env['BASE_URL']!, auth: process.env['KEY']! });
const print = (value: object): void => process.stdout.write(JSON.stringify(value));
`;

/** Uses no casts, so that it does not compile if the document is incomplete. */
const programs: Record<Surface, string> = {
  v1: `${configured}
import { contactsCreate, contactsList } from './api/sdk.gen.js';
const made = await contactsCreate({ body: { email: 'v1@example.com', custom_fields: { plan: 'pro' } } });
const again = await contactsCreate({ body: { email: 'v1@example.com' } });
const listed = await contactsList({ query: { search: 'v1@', limit: 1 } });
// @ts-expect-error a request has no members but those of its schema
void (() => contactsCreate({ body: { email: 'v1@example.com', customFields: {} } }));
const fields: string | undefined = made.data?.custom_fields;
print({ fields, code: again.error?.code, emails: listed.data?.data.map(({ email }) => email), more: listed.data?.has_more });
`,
  legacy: `${configured}
import { legacyContactsCreate, legacyContactsList } from './api/sdk.gen.js';
const made = await legacyContactsCreate({ body: { email: 'legacy@example.com', data: { plan: 'pro' } } });
const again = await legacyContactsCreate({ body: { email: 'legacy@example.com' } });
const listed = await legacyContactsList({ query: { search: 'legacy@', limit: 1 } });
// @ts-expect-error a request has no members but those of its schema
void (() => legacyContactsCreate({ body: { email: 'legacy@example.com', custom_fields: {} } }));
const fields: Record<string, unknown> | undefined = made.data?.data.customFields;
print({ fields, code: again.error?.error.code, emails: listed.data?.data.items.map(({ email }) => email), more: listed.data?.data.hasMore });
`,
};

beforeAll(async () => {
  for (const surface of surfaces) await clients[surface].generate(partOf(surface));
});
afterAll(() => surfaces.forEach((surface) => clients[surface].remove()));

describe('a client generated from the document', () => {
  it.each([
    ['v1', { fields: '{"plan":"pro"}', code: 'conflict', emails: ['v1@example.com'], more: false }],
    ['legacy', { fields: { plan: 'pro' }, code: 'CONFLICT', emails: ['legacy@example.com'], more: false }],
  ] as const)(
    'compiles strictly and works on %s',
    async (surface, printed) => {
      const client = clients[surface];
      await client.compile(programs[surface]);
      expect(
        await client.run({ BASE_URL: suite.posthorn.dev.baseUrl, KEY: suite.posthorn.dev.secretKey }),
      ).toEqual(printed);
    },
    120_000,
  );

  it('does not compile when a program uses what the document lacks', async () => {
    await expect(
      clients.v1.compile(
        "import { legacyContactsCreate } from './api/sdk.gen.js';\nvoid legacyContactsCreate;",
      ),
    ).rejects.toThrow(/legacyContactsCreate/);
  });
});
