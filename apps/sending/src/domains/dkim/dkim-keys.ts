import { Injectable } from '@nestjs/common';
import { newId } from '@posthorn/database';
import { generateKeyPair, type SigningAlgorithm, type SigningKey } from '@posthorn/mail';
import { Secrets } from '@posthorn/platform';
import { DkimKeyRow, type KeyState } from './dkim-key.entity.js';
import { DkimKeysRepository } from './dkim-keys.repository.js';
import type { KeyTurn } from './dkim-turn.js';
import type { DomainRow } from '../domain.entity.js';
import { keysPublished } from '../checks/domain-records.js';

/** Every reader knows RSA; ed25519 is for those who do no longer trust it (RFC 8463). */
const algorithms: readonly SigningAlgorithm[] = ['rsa', 'ed25519'];

/** The private keys of domains: only here do they leave their envelopes. */
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

  async change(projectId: string, { changes, gone: removed }: KeyTurn): Promise<void> {
    await this.rows.change(projectId, changes);
    await this.rows.remove(projectId, removed);
  }

  /** Sign with what waits for its records. */
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

  /** New ones of each kind; making them takes a while, and no transaction. */
  make(
    { projectId, id: domainId }: Pick<DomainRow, 'projectId' | 'id'>,
    state: KeyState,
  ): Promise<DkimKeyRow[]> {
    return Promise.all(
      algorithms.map(async (algorithm) => {
        const { privateKey, publicKey } = await generateKeyPair(algorithm);
        const id = newId();
        // Of the random end of the id, and so of this project alone: what stands there proves whose the domain is.
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
          sealed: this.secrets.seal(privateKey, row.index),
          recordStatus: 'NOT_CHECKED' as const,
          retiringSince: null,
        });
      }),
    );
  }

  /** Those that sign, opened. */
  signing(keys: readonly DkimKeyRow[], domain: string): SigningKey[] {
    const active = keys.filter(({ state }) => state === 'ACTIVE');
    return active.map(({ selector, algorithm, sealed, index: location }) => ({
      domain,
      selector,
      algorithm,
      privateKey: this.secrets.open(sealed, location),
    }));
  }
}
