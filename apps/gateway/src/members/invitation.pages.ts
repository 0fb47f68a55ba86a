import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { noProject, DomainError } from '@posthorn/contracts';
import { runAsCaller } from '@posthorn/messaging';
import type { SessionUser } from '../identity/credential.js';
import { html } from '../pages/html.js';
import { PageRouter } from '../pages/page-router.js';
import { form, hidden, link, sentOn, shown } from '../pages/page-kit.js';
import type { SentOn, Shown, Visit } from '../pages/page.js';
import { InvitationsService } from './invitations.service.js';

const path = '/invitations/accept';

/** Opening the link changes nothing, because mail scanners follow links too. */
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
          You are signed in as ${person.email}. The invitation is valid only for the address it was sent to.
        </p>
        ${form(hidden('token', token), 'Accept', path)}`,
    );
  }

  private async accept({ form: filled, person, request }: Visit): Promise<Shown | SentOn> {
    const token = filled['token'] ?? '';
    return person ? this.join(person, token, request.ip) : toSignIn(token);
  }

  private async join({ userId, name }: SessionUser, token: string, ipAddress: string): Promise<Shown> {
    const caller = { projectId: noProject, actor: { kind: 'USER', id: userId, name }, ipAddress } as const;
    const joined = await runAsCaller(caller, () => this.invitations.accept(userId, token)).catch(
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
  shown(
    'Welcome to the project',
    html`<p>You are now a member of the project with the role ${role.toLowerCase()}.</p>`,
  );

const dead = shown(
  'This invitation is not valid',
  html`<p>It was already used or withdrawn, is more than seven days old, or was sent to another address.</p>
    <ul class="links">
      <li>${link('/account', 'Your account')}</li>
    </ul>`,
  { status: 404 },
);
