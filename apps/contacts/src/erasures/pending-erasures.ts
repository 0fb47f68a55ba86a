import { Injectable } from '@nestjs/common';
import { Secrets, UnreadableSecret, type SecretLocation } from '@posthorn/platform';
import { WorkQueue, work } from '@posthorn/work';
import { ErasuresRepository, type IncompleteErasure } from './erasures.repository.js';

/** Erases a person in all services, by the id of the contact; retried until it succeeds. */
export const erasureWork = work('contacts.erasures', {
  batch: 64,
  concurrency: 4,
  retry: { attempts: Infinity, firstMs: 2_000, maxMs: 300_000 },
});

export interface DeletedContact {
  contactId: string;
  email: string;
}

export interface PendingErasure extends Omit<IncompleteErasure, 'sealed'> {
  email: string;
}

const locationOf = (projectId: string, id: string): SecretLocation => ({ table: 'erasures', projectId, id });

@Injectable()
export class PendingErasures {
  constructor(
    private readonly erasures: ErasuresRepository,
    private readonly secrets: Secrets,
    private readonly queue: WorkQueue,
  ) {}

  async begin(projectId: string, removed: readonly DeletedContact[]): Promise<void> {
    await this.erasures.add(
      projectId,
      removed.map(({ contactId: id, email }) => ({
        id,
        sealed: this.secrets.seal(email, locationOf(projectId, id)),
      })),
    );
    await this.queue.enqueue(
      erasureWork,
      removed.map(({ contactId: key }) => ({ projectId, key })),
    );
  }

  /** The incomplete ones of these erasures. One that cannot be unsealed must not prevent the others. */
  async open(
    projectId: string,
    ids: string[],
  ): Promise<{ people: PendingErasure[]; unreadable: [string, Error][] }> {
    const people: PendingErasure[] = [];
    const unreadable: [string, Error][] = [];
    for (const { sealed, ...erasure } of await this.erasures.incomplete(projectId, ids)) {
      try {
        people.push({ ...erasure, email: this.secrets.open(sealed, locationOf(projectId, erasure.id)) });
      } catch (error) {
        if (!(error instanceof UnreadableSecret)) throw error;
        unreadable.push([erasure.id, error]);
      }
    }
    return { people, unreadable };
  }
}
