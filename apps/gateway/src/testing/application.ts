import * as oauth from 'oauth4webapi';
import { join } from './people.js';
import type { Published } from './gateway-suite.js';
import { origin, type PeopleSuite, type Visitor } from './people-suite.js';

export const callback = 'http://127.0.0.1:7777/callback';

/** The answer of a user on the consent page. */
export interface Decision {
  projectId: string;
  answer?: 'allow' | 'deny';
  /** Scopes that the user deselects. */
  without?: readonly string[];
}

/** The client library calls the public URL, but the gateway listens on another address. */
export const fetchFrom =
  (suite: PeopleSuite, address: string): typeof fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('x-forwarded-for', address);
    return fetch(String(input instanceof Request ? input.url : input).replace(origin, suite.gateway.url), {
      ...init,
      headers,
    });
  };

/** A signed-in user who owns a project. */
export async function buildOwner(
  suite: PeopleSuite,
  email: string,
  projectId?: string,
): Promise<{ person: Visitor; userId: string; projectId: string }> {
  const person = await suite.buildPerson(email);
  const [row] = await suite.database.query<{ id: string }>(`SELECT id FROM auth_users WHERE email = $1`, [
    email,
  ]);
  const owned = projectId ?? (await suite.buildProject()).projectId;
  await join(suite.database, owned, { userId: row!.id }, 'OWNER');
  return { person, userId: row!.id, projectId: owned };
}

/** The error of the authorization server. */
export const errorOf = (requested: Promise<unknown>): Promise<string> =>
  requested.then(
    () => 'no error',
    (error: unknown) =>
      error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError
        ? error.error
        : String(error),
  );

/** A native application using a client library: a public client with PKCE. */
export class Application {
  readonly verifier = oauth.generateRandomCodeVerifier();
  readonly state = oauth.generateRandomState();
  readonly options;

  private constructor(
    readonly server: oauth.AuthorizationServer,
    readonly client: oauth.Client,
    readonly authentication: oauth.ClientAuth,
    fetcher: typeof fetch,
  ) {
    this.options = { [oauth.customFetch]: fetcher, [oauth.allowInsecureRequests]: true };
  }

  static async register(suite: PeopleSuite, metadata: Partial<oauth.Client> = {}): Promise<Application> {
    const fetcher = fetchFrom(suite, suite.visitor().address);
    const options = { [oauth.customFetch]: fetcher, [oauth.allowInsecureRequests]: true } as const;
    const issuer = new URL(`${origin}/api/auth`);
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' }),
    );
    const wanted = {
      client_name: 'Notebook',
      redirect_uris: [callback],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      ...metadata,
    };
    const client = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(server, wanted, options),
    );
    return new Application(server, client, authenticationOf(client), fetcher);
  }

  /** The URL to open in the user's browser. */
  async requestPath(scope: string, changes: Record<string, string | null> = {}): Promise<string> {
    const requested: Record<string, string | null> = {
      response_type: 'code',
      client_id: this.client.client_id,
      redirect_uri: callback,
      scope,
      state: this.state,
      code_challenge: await oauth.calculatePKCECodeChallenge(this.verifier),
      code_challenge_method: 'S256',
      ...changes,
    };
    const given = Object.entries(requested).filter((entry): entry is [string, string] => entry[1] !== null);
    return `/api/auth/oauth2/authorize?${new URLSearchParams(given).toString()}`;
  }

  /** The URL to which the browser is redirected. */
  async requestPerson(
    person: Visitor,
    decision: Decision,
    scope: string,
    changes?: Record<string, string | null>,
  ): Promise<URL> {
    return decide(person, await this.requestPath(scope, changes), decision);
  }

  async exchange(led: URL, verifier = this.verifier): Promise<oauth.TokenEndpointResponse> {
    const parameters = oauth.validateAuthResponse(this.server, this.client, led, this.state);
    const { server, client, authentication, options } = this;
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      parameters,
      callback,
      verifier,
      options,
    );
    return oauth.processAuthorizationCodeResponse(server, client, response);
  }

  async authorize(person: Visitor, projectId: string, scope: string): Promise<oauth.TokenEndpointResponse> {
    return this.exchange(await this.requestPerson(person, { projectId }, scope));
  }

  async refresh(token: string): Promise<oauth.TokenEndpointResponse> {
    const { server, client, authentication, options } = this;
    const response = await oauth.refreshTokenGrantRequest(server, client, authentication, token, options);
    return oauth.processRefreshTokenResponse(server, client, response);
  }

  async revoke(token: string): Promise<void> {
    const { server, client, authentication, options } = this;
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, authentication, token, options),
    );
  }

  async introspect(token: string): Promise<oauth.IntrospectionResponse> {
    const { server, client, authentication, options } = this;
    return oauth.processIntrospectionResponse(
      server,
      client,
      await oauth.introspectionRequest(server, client, authentication, token, options),
    );
  }
}

function authenticationOf(client: oauth.Client): oauth.ClientAuth {
  const secret = client['client_secret'] as string | undefined;
  if (!secret) return oauth.None();
  return client.token_endpoint_auth_method === 'client_secret_post'
    ? oauth.ClientSecretPost(secret)
    : oauth.ClientSecretBasic(secret);
}

/** Reads the consent page and answers it, or returns another response. */
export async function decide(
  person: Visitor,
  path: string,
  { projectId, answer = 'allow', without = [] }: Decision,
): Promise<URL> {
  const requested = await person.get(path);
  const location = requested.headers.get('location') ?? '';
  if (!location.startsWith('/oauth/consent?')) return leadOf(requested);
  const page = await person.get(location);
  const boxes = [...page.text.matchAll(/type="checkbox" name="([^"]+)"/g)]
    .map(([, name]) => name!)
    .filter((name) => !without.includes(name));
  const decided = { oauth_query: hiddenIn(page.text, 'oauth_query'), answer, project: projectId };
  return leadOf(
    await person.submit('/oauth/consent', {
      ...decided,
      ...Object.fromEntries(boxes.map((name) => [name, 'yes'])),
    }),
  );
}

/** The redirect target of a page, or its status and title. */
function leadOf({ status, text, headers }: Published): URL {
  const [, there] = /<a href="((?!\/)[^"]+)"/.exec(text) ?? [];
  return new URL(there ? plain(there) : (headers.get('location') ?? `/?status=${status}`), origin);
}

function hiddenIn(text: string, name: string): string {
  const [, value = ''] = new RegExp(`name="${name}" value="([^"]*)"`).exec(text) ?? [];
  return plain(value);
}

const plain = (text: string): string =>
  text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&');
