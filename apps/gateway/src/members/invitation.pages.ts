import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { aboveProjects, DomainError } from '@posthorn/contracts';
import { actFor } from '@posthorn/messaging';
import type { SessionUser } from '../identity/credential.js';
import { html } from '../pages/html.js';
import { PageRouter } from '../pages/page-router.js';
import { form, hidden, link, sentOn, shown } from '../pages/page-kit.js';
import type { SentOn, Shown, Visit } from '../pages/page.js';
import { InvitationsService } from './invitations.service.js';

const path = '/invitations/accept';

/** Where the link of an invitation leads. Looking changes nothing: mail scanners follow links too. */
@Injectable()
export class InvitationPages implements OnApplicationBootstrap {
  constructor(
    private readonly router: PageRouter,
    private readonly invitations: InvitationsService,
  ) {}

  onApplicationBootstrap(): void {
    this.router.open({ path, show: (visit) => this.show(visit), submit: (visit) => this.accept(visit) });
  }

  private async show({ query, person }: Visit): Promise<Shown | SentOn> {
    const token = query['token'] ?? '';
    if (!person) return toSignIn(token);
    return shown(
      'Accept the invitation?',
      html`<p>
          You are signed in as ${person.email}. The invitation works for the address that it was sent to.
        </p>
        ${form(hidden('token', token), 'Accept', path)}`,
    );
  }

  private async accept({ form: filled, person, request }: Visit): Promise<Shown | SentOn> {
    const token = filled['token'] ?? '';
    return person ? this.join(person, token, request.ip) : toSignIn(token);
  }

  private async join({ userId, name }: SessionUser, token: string, address: string): Promise<Shown> {
    const caller = { projectId: aboveProjects, actor: { kind: 'USER', id: userId, name }, address } as const;
    const joined = await actFor(caller, () => this.invitations.accept(userId, token)).catch(
      (error: unknown) => {
        if (error instanceof DomainError && error.kind === 'not_found') return null;
        throw error;
      },
    );
    return joined ? welcome(joined.role) : dead;
  }
}

const toSignIn = (token: string): SentOn =>
  sentOn('/sign-in', { next: `${path}?${new URLSearchParams({ token }).toString()}` });

const welcome = (role: string): Shown =>
  shown('You are a member', html`<p>You work in the project now, as ${role.toLowerCase()}.</p>`);

const dead = shown(
  'This invitation does not work',
  html`<p>It was used or withdrawn, is older than seven days, or was sent to another address.</p>
    <ul class="links">
      <li>${link('/account', 'Your account')}</li>
    </ul>`,
  { status: 404 },
);
