import { Injectable, Logger } from '@nestjs/common';
import { Secrets, UnreadableSecret, type SecretPlace } from '@posthorn/platform';
import { ErasuresRepository, type TakenErasure } from './erasures.repository.js';

/** A contact that is deleted. */
export interface GoneContact {
  contactId: string;
  email: string;
}

/** An erasure that somebody works at. */
export interface PendingErasure extends Omit<TakenErasure, 'sealed'> {
  email: string;
}

const placeOf = (projectId: string, id: string): SecretPlace => ({ table: 'erasures', projectId, id });

/** Erasures under way: the address, which every service has to hear, lies sealed in them. */
@Injectable()
export class PendingErasures {
  private readonly log = new Logger('Erasures');

  constructor(
    private readonly erasures: ErasuresRepository,
    private readonly secrets: Secrets,
  ) {}

  /** In the transaction of the deletion. */
  async begin(projectId: string, gone: readonly GoneContact[]): Promise<void> {
    await this.erasures.add(
      projectId,
      gone.map(({ contactId: id, email }) => ({ id, sealed: this.secrets.seal(email, placeOf(projectId, id)) })),
    );
  }

  async take(most: number): Promise<PendingErasure[]> {
    return (await this.erasures.take(most)).flatMap((taken) => this.opened(taken));
  }

  private opened({ sealed, ...erasure }: TakenErasure): PendingErasure[] {
    try {
      return [{ ...erasure, email: this.secrets.open(sealed, placeOf(erasure.projectId, erasure.id)) }];
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      // It must not keep the others waiting, and is done once its key is named again.
      this.log.error(error.message);
      return [];
    }
  }
}
