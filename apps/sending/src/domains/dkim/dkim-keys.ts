import { Injectable } from '@nestjs/common';
import { newId } from '@posthorn/database';
import { generateKeyPair, type SigningAlgorithm, type SigningKey } from '@posthorn/mail';
import { Secrets } from '@posthorn/platform';
import { DkimKeyRow, type KeyState } from './dkim-key.entity.js';
import { DkimKeysRepository } from './dkim-keys.repository.js';
import type { KeyRotation } from './dkim-rotation.js';
import type { DomainRow } from '../domain.entity.js';
import { keysPublished } from '../checks/domain-records.js';

/** All verifiers know RSA; ed25519 (RFC 8463) is an addition. */
const algorithms: readonly SigningAlgorithm[] = ['ed25519', 'rsa'];

@Injectable()
export class DkimKeys {
  constructor(
    private readonly secrets: Secrets,
    private readonly rows: DkimKeysRepository,
  ) {}

  of({ projectId, id }: Pick<DomainRow, 'projectId' | 'id'>): Promise<DkimKeyRow[]> {
    return this.rows.of(projectId, [id]);
  }

  store(projectId: string, keys: readonly DkimKeyRow[]): Promise<void> {
    return this.rows.insert(projectId, keys);
  }

  async change(projectId: string, { changes, gone: removed }: KeyRotation): Promise<void> {
    await this.rows.change(projectId, changes);
    await this.rows.remove(projectId, removed);
  }

  activate(projectId: string, keys: readonly DkimKeyRow[]): Promise<void> {
    const waiting = keysPublished(keys).filter(({ state }) => state === 'PENDING');
    return this.rows.change(
      projectId,
      waiting.map((key) => ({ ...key, state: 'ACTIVE' })),
    );
  }

  retire(projectId: string, keys: readonly DkimKeyRow[]): Promise<void> {
    const active = keys.filter(({ state }) => state === 'ACTIVE');
    return this.rows.change(
      projectId,
      active.map((key) => ({ ...key, state: 'RETIRING', retiringSince: new Date() })),
    );
  }

  /** Generating keys takes long, so it must not happen within a transaction. */
  make(
    { projectId, id: domainId }: Pick<DomainRow, 'projectId' | 'id'>,
    state: KeyState,
  ): Promise<DkimKeyRow[]> {
    // Sorted, so that the records of a domain have the same order whichever key is made first.
    const ids = algorithms.map(() => newId()).sort();
    return Promise.all(
      algorithms.map(async (algorithm, index) => {
        const { privateKey, publicKey } = await generateKeyPair(algorithm);
        const id = ids[index]!;
        // From the random part of the id, so that it is unique to the project: the record proves ownership.
        const selector = `ph${id.slice(-10)}`;
        const row = Object.assign(new DkimKeyRow(), {
          projectId,
          id,
          domainId,
          selector,
          algorithm,
          publicKey,
          state,
        });
        return Object.assign(row, {
          sealed: this.secrets.seal(privateKey, row.location),
          recordStatus: 'NOT_CHECKED' as const,
          retiringSince: null,
        });
      }),
    );
  }

  signing(keys: readonly DkimKeyRow[], domain: string): SigningKey[] {
    const active = keys.filter(({ state }) => state === 'ACTIVE');
    return active.map(({ selector, algorithm, sealed, location }) => ({
      domain,
      selector,
      algorithm,
      privateKey: this.secrets.open(sealed, location),
    }));
  }
}
