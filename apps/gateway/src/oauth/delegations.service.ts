import { Injectable } from '@nestjs/common';
import { Commits } from '@posthorn/platform';
import { Audit } from '../audit/audit.js';
import type { PeopleAnswer } from '../people/people-answer.js';
import { granting } from './chosen-project.js';
import { DelegationsRepository } from './delegations.repository.js';

/** What people grant to applications, and end. */
@Injectable()
export class DelegationsService {
  constructor(
    private readonly commits: Commits,
    private readonly delegations: DelegationsRepository,
    private readonly audit: Audit,
  ) {}

  /** Grants in one commit with what is known of it afterwards; `ask` has the library do it. */
  grant(userId: string, projectId: string, clientId: string, ask: () => Promise<PeopleAnswer>): Promise<PeopleAnswer> {
    return this.commits.before(null, async () => {
      const answer = await granting(projectId, ask);
      const id = await this.delegations.idOf(userId, projectId, clientId);
      if (answer.ok && id) await this.audit.record(projectId, 'token.granted', id);
      return answer;
    });
  }

  /** Ends a person's grant and every token of it. */
  end(userId: string, id: string): Promise<void> {
    return this.commits.before(null, async () => {
      const projectId = await this.delegations.end(userId, id);
      if (projectId) await this.audit.record(projectId, 'token.revoked', id);
    });
  }
}
