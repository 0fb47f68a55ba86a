import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { GatewayConfig } from '../../config.js';
import { DelegationsService } from '../../oauth/delegations.service.js';
import { SignInLimits } from '../sign-in-limits/sign-in-limits.js';
import type { Auth } from './people-auth.js';
import { PeopleKeys } from './people-keys.js';
import { PeopleMails } from '../people-mails.js';

/** Loads better-auth on first use, because loading takes as long as the rest of the start. */
@Injectable()
export class PeopleLibrary {
  private auth: Promise<Auth> | null = null;

  constructor(
    private readonly config: GatewayConfig,
    private readonly database: Database,
    private readonly attempts: SignInLimits,
    private readonly mails: PeopleMails,
    private readonly keys: PeopleKeys,
    private readonly delegations: DelegationsService,
  ) {}

  /** Initialisation queries the database; after a failure the next call starts over. */
  open(): Promise<Auth> {
    this.auth ??= this.database
      .apart(() => this.load())
      .catch((error: unknown) => {
        this.auth = null;
        throw error;
      });
    return this.auth;
  }

  private async load(): Promise<Auth> {
    const { openAuth } = await import('./people-auth.js');
    const { config, database, attempts, mails, keys, delegations } = this;
    const auth = await openAuth({ config, database, attempts, mails, keys, delegations });
    await auth.$context;
    return auth;
  }
}
