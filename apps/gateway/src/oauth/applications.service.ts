import { Injectable } from '@nestjs/common';
import {
  applicationNotFound,
  applicationRefused,
  applications,
  type ApplicationRef,
  type RegisterApplication,
  type RegisteredApplication,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { PeopleKeys } from '../people/library/people-keys.js';
import { People } from '../people/people.js';
import { DelegationsRepository } from './delegations.repository.js';
import { oauthPaths } from './oauth-rules.js';

@Injectable()
export class ApplicationsService {
  constructor(
    private readonly people: People,
    private readonly keys: PeopleKeys,
    private readonly rows: DelegationsRepository,
  ) {}

  @Handles(applications.register)
  async register({
    body: { name, redirectUri, isPublic },
  }: Incoming<RegisterApplication>): Promise<RegisteredApplication> {
    const answer = await this.people.handOn(
      { path: oauthPaths.register },
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${this.keys.registration}` },
        body: JSON.stringify({
          client_name: name,
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: isPublic ? 'none' : 'client_secret_basic',
          application_type: redirectUri.startsWith('https:') ? 'web' : 'native',
        }),
      },
    );
    const published = (await answer.json()) as Record<string, string | undefined>;
    if (!answer.ok)
      throw applicationRefused(
        published['error_description'] ?? published['error'] ?? 'its metadata is malformed',
      );
    await this.rows.keep(published['client_id']!);
    return { clientId: published['client_id']!, clientSecret: published['client_secret'] ?? null };
  }

  @Handles(applications.remove)
  async remove({ body: { clientId } }: Incoming<ApplicationRef>): Promise<ApplicationRef> {
    if (!(await this.rows.removeClient(clientId))) throw applicationNotFound();
    return { clientId };
  }
}
