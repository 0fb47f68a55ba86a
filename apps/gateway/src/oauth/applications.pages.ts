import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import {
  isScope,
  isUuid,
  scopeDescriptions,
  noProject,
  applicationNotFound,
  applicationRefused,
  applications,
  type ApplicationRef,
  type RegisterApplication,
  type RegisteredApplication,
} from '@posthorn/contracts';
import { runAsCaller, Handles, type Incoming } from '@posthorn/messaging';
import { html, type Html } from '../pages/html.js';
import { PageRouter } from '../pages/page-router.js';
import { form, hidden, link, notice, sentOn, shown } from '../pages/page-kit.js';
import type { SentOn, Shown, Visit } from '../pages/page.js';
import { signedIn } from '../people/pages/account.pages.js';
import type { SessionUser } from '../identity/credential.js';
import { DelegationsRepository, type Delegation } from './delegations.repository.js';
import { DelegationsService } from './delegations.service.js';
import { PeopleKeys } from '../people/library/people-keys.js';
import { People } from '../people/people.js';
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

const path = '/account/applications';

@Injectable()
export class ApplicationsPages implements OnApplicationBootstrap {
  constructor(
    private readonly router: PageRouter,
    private readonly rows: DelegationsRepository,
    private readonly delegations: DelegationsService,
  ) {}

  onApplicationBootstrap(): void {
    const show = signedIn((visit, person) => this.show(visit, person));
    this.router.open({ path, show, submit: signedIn((visit, person) => this.end(visit, person)) });
  }

  private async show({ query }: Visit, { userId }: SessionUser): Promise<Shown> {
    const found = await this.rows.listOf(userId);
    const body = html`${query['said'] === 'ended' ? notice('done', 'Access was revoked, and the application’s tokens no longer work.') : null}
      ${
        found.length > 0
          ? html`<ul class="rows">
              ${found.map(row)}
            </ul>`
          : html`<p>No application has access to your account.</p>`
      }
      <ul class="links">
        <li>${link('/account', 'Your account')}</li>
      </ul>`;
    return shown('Applications', body);
  }

  private async end({ form: filled, request }: Visit, { userId, name }: SessionUser): Promise<SentOn> {
    const id = filled['id'] ?? '';
    const caller = {
      projectId: noProject,
      actor: { kind: 'USER', id: userId, name },
      ipAddress: request.ip,
    } as const;
    if (isUuid(id)) await runAsCaller(caller, () => this.delegations.end(userId, id));
    return sentOn(path, { said: 'ended' });
  }
}

function row({ id, application, projectName, scopes, updatedAt }: Delegation): Html {
  const texts = scopes.filter(isScope).map((scope) => scopeDescriptions[scope].toLowerCase());
  return html`<li>
    <div>
      <p>${application} in ${projectName}</p>
      <p class="quiet-text">Since ${updatedAt.toISOString().slice(0, 10)}: ${texts.join(', ')}</p>
    </div>
    ${form(hidden('id', id), 'Revoke access', path, 'quiet')}
  </li>`;
}
