import { apiKeys, projects, scopes, type Confine, type MemberRole, type Scope } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { mintDelegatedToken } from '../../oauth/oauth-rules.js';
import { mintToken } from '../../api-keys/api-key-token.js';
import { scopesOf, type RouteDeclaration } from '../../routes/route.js';
import type { Route } from '../../routes/route-table.js';
import type { GatewaySuite, Published } from '../gateway-suite.js';
import { delegate } from '../delegate.js';
import { buildUser, cookieOf, join, peopleSecretOf, signIn, type Person } from '../people.js';
import { strangeName } from './dialect-shapes.js';

export const trustedOrigin = 'https://app.example.test';
export const strangeOrigin = 'https://shop.example';

/** Parts of a request beside its path. */
export interface Shown {
  headers: Record<string, string>;
  /** The project in the path and in the session header; ours by default. */
  projectId?: string;
}

/** Two projects, a disabled third one, and their callers: created once for the whole walk. */
export class WalkFixture {
  requested = 0;
  ours: string;
  unknowns: string;
  disabled: string;
  /** An unknown project and an unknown id. */
  readonly nowhere = newId();
  readonly nothing = newId();
  readonly keys = {} as Record<
    | 'full'
    | 'public'
    | 'form'
    | 'ofOrigin'
    | 'test'
    | 'revoked'
    | 'strangers'
    | 'disabled'
    | 'disabledPublic',
    string
  >;
  readonly cookies = {} as Record<MemberRole | 'STRANGER' | 'EXPIRED' | 'DISABLED', string>;
  readonly tokens = {} as Record<
    MemberRole | 'STRANGER' | 'DISABLED' | 'EXPIRED' | 'REVOKED' | 'ENDED' | 'OUT' | 'REDUCED',
    string
  >;
  readonly unknownToken = mintDelegatedToken('access');
  readonly refreshToken = mintDelegatedToken('refresh');
  readonly unknown = mintToken('FULL', 'LIVE');
  unknownCookie: string;
  private readonly people = {} as Record<MemberRole | 'STRANGER' | 'DISABLED', Person>;
  /** The token of an existing session with a forged signature. */
  foreignCookie: string;
  private readonly justWith = new Map<Scope, string>();
  private readonly allBut = new Map<string, string>();
  private readonly tokensJustWith = new Map<Scope, string>();
  private readonly tokensWithAllBut = new Map<string, string>();

  constructor(private readonly suite: GatewaySuite) {}

  async prepare(routes: readonly Route[]): Promise<void> {
    const made = await Promise.all([1, 2, 3].map(() => this.suite.buildProject()));
    [this.ours, this.unknowns, this.disabled] = made.map(({ projectId }) => projectId) as [
      string,
      string,
      string,
    ];
    await this.makeKeys(made[2]!.caller);
    for (const { declaration } of routes) await this.makeScopedKeys(declaration);
    await this.makePeople();
    await this.makeTokens();
    for (const { declaration } of routes) await this.makeScopedTokens(declaration);
    await this.suite.bus.call(projects.disable, made[2]!.caller, { id: this.disabled, reason: 'MANUAL' });
  }

  keyJustWith(scope: Scope): string {
    return this.justWith.get(scope)!;
  }

  tokenJustWith(scope: Scope): string {
    return this.tokensJustWith.get(scope)!;
  }

  tokenWithAllBut(declaration: RouteDeclaration): string {
    return this.tokensWithAllBut.get(nameOf(declaration))!;
  }

  keyWithAllBut(declaration: RouteDeclaration): string {
    return this.allBut.get(nameOf(declaration))!;
  }

  /** A path of the route with unknown ids, except for the project. */
  pathOf({ path }: Route, projectId = this.ours): string {
    return path
      .replace(':projectId', projectId)
      .replace(':email', 'nobody@example.test')
      .replace(':version', '1')
      .replace(/:\w+/g, this.nothing);
  }

  /** Calls the route with an unknown name in the request. */
  async request(
    route: Route,
    { headers, projectId }: Shown,
    method: string = route.method,
  ): Promise<Published> {
    this.requested += 1;
    const reads = method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || method === 'DELETE';
    const path = this.pathOf(route, projectId) + (reads ? `?${strangeName}=1` : '');
    return this.suite.request(method, path, { headers, body: reads ? undefined : { [strangeName]: 1 } });
  }

  private async makeKeys(ofDisabled: Parameters<GatewaySuite['bus']['call']>[1]): Promise<void> {
    const key = async (projectId: string, wanted = {}) => this.suite.buildKey(projectId, wanted);
    this.keys.full = (await key(this.ours)).token;
    this.keys.public = (await key(this.ours, { legacyGrantPreset: 'SENDING_ONLY' })).token;
    const confined = async (confine: Confine) =>
      (await key(this.ours, { legacyGrantPreset: 'SENDING_ONLY', confine })).token;
    this.keys.form = await confined({ subscribeOnly: true });
    this.keys.ofOrigin = await confined({ origins: ['https://another.example'] });
    this.keys.test = (await key(this.ours, { mode: 'TEST' })).token;
    const revoked = await key(this.ours);
    await this.suite.bus.call(apiKeys.revoke, { ...ofDisabled, projectId: this.ours }, { id: revoked.id });
    this.keys.revoked = revoked.token;
    this.keys.strangers = (await key(this.unknowns)).token;
    this.keys.disabled = (await key(this.disabled)).token;
    this.keys.disabledPublic = (await key(this.disabled, { legacyGrantPreset: 'SENDING_ONLY' })).token;
  }

  private async makeScopedKeys(declaration: RouteDeclaration): Promise<void> {
    const [own, name] = [scopesOf(declaration), nameOf(declaration)];
    if (this.allBut.has(name)) return;
    const keyOf = async (held: readonly Scope[]) =>
      (await this.suite.buildKey(this.ours, { scopes: [...held] })).token;
    this.justWith.set(declaration.scope, await keyOf([declaration.scope]));
    this.allBut.set(name, await keyOf(scopes.filter((each) => !own.includes(each))));
  }

  private async makePeople(): Promise<void> {
    const { database } = this.suite;
    this.unknownCookie = cookieOf('a-token-that-no-session-has', await peopleSecretOf(database));
    for (const role of ['OWNER', 'ADMIN', 'MEMBER'] as const) {
      const person = await buildUser(database);
      await join(database, this.ours, person, role);
      this.cookies[role] = await signIn(database, person);
      this.people[role] = person;
    }
    const [outsider, expired, owner] = [
      await buildUser(database),
      await buildUser(database),
      await buildUser(database),
    ];
    Object.assign(this.people, { STRANGER: outsider, DISABLED: owner });
    await join(database, this.unknowns, outsider, 'OWNER');
    this.cookies.STRANGER = await signIn(database, outsider);
    await join(database, this.ours, expired, 'OWNER');
    this.cookies.EXPIRED = await signIn(database, expired);
    this.foreignCookie = cookieOf(tokenIn(this.cookies.OWNER), 'the secret of another host');
    await database.query(`UPDATE auth_sessions SET "expiresAt" = now() WHERE "userId" = $1`, [
      expired.userId,
    ]);
    await join(database, this.disabled, owner, 'OWNER');
    this.cookies.DISABLED = await signIn(database, owner);
  }

  private async makeTokens(): Promise<void> {
    const { database } = this.suite;
    const { OWNER: owner } = this.people;
    for (const role of ['OWNER', 'ADMIN', 'MEMBER'] as const)
      this.tokens[role] = (await delegate(database, this.ours, this.people[role])).token;
    this.tokens.STRANGER = (await delegate(database, this.unknowns, this.people.STRANGER)).token;
    this.tokens.DISABLED = (await delegate(database, this.disabled, this.people.DISABLED)).token;
    const spoiled = async (sql: string, of: 'tokenId' | 'grantId' | 'clientId') => {
      const made = await delegate(database, this.ours, owner);
      await database.query(sql, [made[of]]);
      return made.token;
    };
    this.tokens.EXPIRED = await spoiled(
      `UPDATE oauth_access_tokens SET "expiresAt" = now() WHERE id = $1`,
      'tokenId',
    );
    this.tokens.REVOKED = await spoiled(
      `UPDATE oauth_access_tokens SET revoked = now() WHERE id = $1`,
      'tokenId',
    );
    this.tokens.ENDED = await spoiled(`DELETE FROM oauth_consents WHERE id = $1`, 'grantId');
    this.tokens.OUT = await spoiled(
      `UPDATE oauth_clients SET disabled = true WHERE "clientId" = $1`,
      'clientId',
    );
    this.tokens.REDUCED = await spoiled(`UPDATE oauth_consents SET scopes = '[]' WHERE id = $1`, 'grantId');
  }

  private async makeScopedTokens(declaration: RouteDeclaration): Promise<void> {
    const [own, name] = [scopesOf(declaration), nameOf(declaration)];
    if (this.tokensWithAllBut.has(name)) return;
    const tokenOf = async (held: Scope[]) =>
      (await delegate(this.suite.database, this.ours, this.people.OWNER, held)).token;
    this.tokensJustWith.set(declaration.scope, await tokenOf([declaration.scope]));
    this.tokensWithAllBut.set(name, await tokenOf(scopes.filter((each) => !own.includes(each))));
  }
}

/** Routes with the same scopes have the same callers. */
const nameOf = (declaration: RouteDeclaration): string => scopesOf(declaration).join(' ');

const tokenIn = (cookie: string): string =>
  decodeURIComponent(cookie.slice(cookie.indexOf('=') + 1)).split('.')[0]!;
