import { Injectable } from '@nestjs/common';
import {
  isUuid,
  roleScopes,
  scopes,
  authorities,
  type ActorKind,
  type Scope,
  type Standing,
  type Standings,
  type GetStandings,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { GatewayConfig } from '../config.js';
import { AuthoritiesReadModel } from './authorities.read-model.js';
import { credentialOf, delegatedScopes, type KeyRow } from './credential.js';

/** What those may do now in whose name a service works. */
@Injectable()
export class AuthoritiesService {
  constructor(
    private readonly rows: AuthoritiesReadModel,
    private readonly config: GatewayConfig,
  ) {}

  @Handles(authorities.standings)
  async standings({
    caller: { projectId },
    body: { authorities },
  }: Incoming<GetStandings>): Promise<Standings> {
    const idsOf = (kind: ActorKind) =>
      authorities.flatMap((authority) =>
        authority.kind === kind && isUuid(authority.id) ? [authority.id] : [],
      );
    const [disabled, keys, members, grants] = await Promise.all([
      this.rows.isDisabled(projectId),
      this.rows.keys(projectId, idsOf('KEY')),
      this.rows.members(projectId, idsOf('USER')),
      this.rows.grants(projectId, idsOf('TOKEN')),
    ]);
    const found = new Map([
      ...keys.map((key) => [`KEY ${key.keyId}`, this.ofKey(key)] as const),
      ...members.map(({ id, role }) => [`USER ${id}`, unconfined(roleScopes[role])] as const),
      ...grants.map(
        ({ id, role, grantedScopes }) =>
          [
            `TOKEN ${id}`,
            unconfined(delegatedScopes({ role, grantedScopes, scopes: grantedScopes })),
          ] as const,
      ),
    ]);
    return {
      disabled: disabled ?? true,
      items: authorities.map(({ kind, id }) =>
        kind === 'OPERATOR' || kind === 'SERVICE'
          ? unconfined(scopes)
          : (found.get(`${kind} ${id.toLowerCase()}`) ?? gone),
      ),
    };
  }

  private ofKey(row: KeyRow): Standing {
    const { scopes: granted, caller } = credentialOf(row, this.config.sandboxDomain);
    const { mode = 'LIVE', sandbox, domainId = null } = caller;
    return {
      isValid: true,
      scopes: [...granted],
      mode,
      domainId,
      sandbox: sandbox ? { ...sandbox, recipients: [...sandbox.recipients] } : null,
    };
  }
}

const unconfined = (granted: readonly Scope[]): Standing => ({
  isValid: true,
  scopes: [...granted],
  mode: 'LIVE',
  sandbox: null,
  domainId: null,
});
const gone: Standing = { ...unconfined([]), isValid: false };
