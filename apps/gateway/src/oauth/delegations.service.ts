import { Injectable } from '@nestjs/common';
import type { Caller } from '@posthorn/contracts';
import { actFor } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { Audit } from '../audit/audit.js';
import type { PeopleAnswer } from '../people/library/people-answer.js';
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

  /** Ends a person's grant and every token of it. */
  end(userId: string, id: string): Promise<void> {
    return this.commits.before(null, async () => {
      for (const each of await this.delegations.end(userId, id))
        await this.audit.record(each.projectId, 'token.revoked', each.id);
    });
  }

  /** Ends everything that a person granted, in the ambient transaction: they chose a new password. */
  async endAllOf(userId: string): Promise<void> {
    for (const { id, projectId } of await this.delegations.end(userId)) {
      const caller: Caller = { projectId, actor: { kind: 'USER', id: userId } };
      await actFor(caller, () => this.audit.record(projectId, 'token.revoked', id));
    }
  }
}

/** The library may also have sent the person elsewhere: granted is what a code comes of. */
const isGranted = ({ ok, json }: PeopleAnswer): boolean =>
  ok &&
  typeof json['url'] === 'string' &&
  URL.canParse(json['url']) &&
  new URL(json['url']).searchParams.has('code');
