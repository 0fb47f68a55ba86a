import { Injectable } from '@nestjs/common';
import type { Caller } from '@posthorn/contracts';
import { runAsCaller } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { Audit } from '../audit/audit.js';
import type { PeopleAnswer } from '../people/library/people-answer.js';
import { granting } from './oauth-rules.js';
import { DelegationsRepository } from './delegations.repository.js';

@Injectable()
export class DelegationsService {
  constructor(
    private readonly commits: Commits,
    private readonly delegations: DelegationsRepository,
    private readonly audit: Audit,
  ) {}

  /** The library's grant and our records share one commit; `request` calls the library. */
  grant(
    userId: string,
    projectId: string,
    clientId: string,
    request: () => Promise<PeopleAnswer>,
  ): Promise<PeopleAnswer> {
    return this.commits.before(null, async () => {
      const answer = await granting(projectId, request);
      if (!isGranted(answer)) return answer;
      const id = await this.delegations.authorize(userId, projectId, clientId);
      await this.audit.record(projectId, 'token.granted', id);
      return answer;
    });
  }

  end(userId: string, id: string): Promise<void> {
    return this.commits.before(null, async () => {
      for (const each of await this.delegations.end(userId, id))
        await this.audit.record(each.projectId, 'token.revoked', each.id);
    });
  }

  /** Joins the ambient transaction, in which the user sets a new password. */
  async endAllOf(userId: string): Promise<void> {
    for (const { id, projectId } of await this.delegations.end(userId)) {
      const caller: Caller = { projectId, actor: { kind: 'USER', id: userId } };
      await runAsCaller(caller, () => this.audit.record(projectId, 'token.revoked', id));
    }
  }
}

/** Only a redirect with a code means that access was granted. */
const isGranted = ({ ok, json }: PeopleAnswer): boolean =>
  ok &&
  typeof json['url'] === 'string' &&
  URL.canParse(json['url']) &&
  new URL(json['url']).searchParams.has('code');
