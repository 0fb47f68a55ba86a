import { Injectable } from '@nestjs/common';
import { projectNotFound, roleScopes, type ActorKind, type Caller, type Scope } from '@posthorn/contracts';
import { foreignProject, noCredential, scopeMissing } from '../wire/errors.js';
import { delegatedScopes } from '../identity/credential.js';
import { DelegationsRepository } from '../oauth/delegations.repository.js';
import { MembersRepository } from '../members/members.repository.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { ApiKeysRepository } from './api-keys.repository.js';
import { unlimited, type Grant } from './grant.js';

const needed: Scope = 'api-keys:write';

/** The rights of the caller at the time of the change, which may be fewer than at the time of the request. */
@Injectable()
export class GrantsService {
  private readonly of: Record<ActorKind, (caller: Caller) => Promise<Grant>> = {
    KEY: (caller) => this.ofKey(caller),
    USER: (caller) => this.ofMember(caller),
    TOKEN: (caller) => this.ofToken(caller),
    OPERATOR: () => Promise.resolve(unlimited),
    SERVICE: () => Promise.resolve(unlimited),
  };

  constructor(
    private readonly projects: ProjectsRepository,
    private readonly keys: ApiKeysRepository,
    private readonly members: MembersRepository,
    private readonly delegations: DelegationsRepository,
  ) {}

  /** Locks the project and then the credential, so that reducing the credential happens before or after this change (0013). */
  async hold(caller: Caller): Promise<Grant> {
    if (!(await this.projects.findForUpdate(caller.projectId))) throw projectNotFound();
    const grant = await this.of[caller.actor.kind](caller);
    if (!grant.scopes.has(needed)) throw scopeMissing(needed);
    return grant;
  }

  private async ofKey({ projectId, actor }: Caller): Promise<Grant> {
    const key = await this.keys.findForShare(projectId, actor.id);
    if (!key || key.revokedAt) throw noCredential();
    return { scopes: new Set(key.granted), mode: key.mode, domainId: key.domainId };
  }

  private async ofToken({ projectId, tokenId = '' }: Caller): Promise<Grant> {
    const held = await this.delegations.findForShare(projectId, tokenId);
    if (!held) throw noCredential();
    return { ...unlimited, scopes: new Set(delegatedScopes(held)) };
  }

  private async ofMember({ projectId, actor }: Caller): Promise<Grant> {
    const member = await this.members.findForShare(projectId, actor.id);
    if (!member) throw foreignProject();
    return { ...unlimited, scopes: new Set(roleScopes[member.role]) };
  }
}
