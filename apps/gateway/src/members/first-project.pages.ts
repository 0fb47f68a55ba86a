import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { checkField, CreateProject, DomainError, isUuid, noProject } from '@posthorn/contracts';
import { runAsCaller } from '@posthorn/messaging';
import { statusOfKind } from '../dialects/dialect.js';
import type { SessionUser } from '../identity/credential.js';
import { html } from '../pages/html.js';
import { PageRouter } from '../pages/page-router.js';
import { field, form, link, notice, sentOn, shown } from '../pages/page-kit.js';
import type { SentOn, Shown, Visit } from '../pages/page.js';
import { OwnProjectsService } from '../projects/own-projects.service.js';
import { InvitationsService } from './invitations.service.js';

const paths = { project: '/account/new-project', invitations: '/account/invitations', account: '/account' };
const maxName = 100;

type Act = (visit: Visit, person: SessionUser) => Promise<Shown | SentOn>;

/** How somebody who has just signed up comes to a project: one of their own, or one that they were invited to. */
@Injectable()
export class FirstProjectPages implements OnApplicationBootstrap {
  constructor(
    private readonly router: PageRouter,
    private readonly projects: OwnProjectsService,
    private readonly invitations: InvitationsService,
  ) {}

  onApplicationBootstrap(): void {
    const signedIn = (act: Act) => async (visit: Visit) =>
      visit.person ? act(visit, visit.person) : sentOn('/sign-in', { next: paths.account });
    const show = signedIn((visit) => Promise.resolve(formOf(visit)));
    this.router.open({
      path: paths.project,
      show,
      submit: signedIn((visit, person) => this.create(visit, person)),
    });
    this.router.open({
      path: paths.invitations,
      show: () => Promise.resolve(sentOn(paths.account)),
      submit: signedIn((visit, person) => this.accept(visit, person)),
    });
  }

  private async create(visit: Visit, person: SessionUser): Promise<Shown | SentOn> {
    const name = (visit.form['name'] ?? '').trim();
    if (name === '' || name.length > maxName)
      return formOf(visit, { message: `A name has 1 to ${maxName} characters`, status: 422 });
    const failure = checkField(CreateProject, 'name', name);
    if (failure) return formOf(visit, { message: `A name ${failure.message}`, status: 422 });
    const created = await as(person, visit, () => this.projects.create(person.userId, name)).catch(refusal);
    return created instanceof DomainError
      ? formOf(visit, { message: created.message, status: statusOfKind[created.kind] })
      : sentOn(paths.account, { said: 'created' });
  }

  private async accept(visit: Visit, person: SessionUser): Promise<SentOn> {
    const id = visit.form['id'] ?? '';
    // One that was withdrawn meanwhile is no longer on the page that is shown next.
    const joined = isUuid(id)
      ? await as(person, visit, () => this.invitations.acceptById(person.userId, id)).catch(refusal)
      : null;
    return sentOn(paths.account, { said: joined && !(joined instanceof DomainError) ? 'joined' : null });
  }
}

function as<T>({ userId, name }: SessionUser, { request }: Visit, work: () => Promise<T>): Promise<T> {
  const actor = { kind: 'USER', id: userId, name } as const;
  return runAsCaller({ projectId: noProject, actor, ipAddress: request.ip }, work);
}

/** What the person can mend stands on the page; anything else fails as everywhere. */
function refusal(error: unknown): DomainError {
  if (error instanceof DomainError && error.kind !== 'unavailable' && error.kind !== 'internal') return error;
  throw error;
}

function formOf({ form: filled }: Visit, failed: { message: string; status: number } | null = null): Shown {
  const name = field({
    name: 'name',
    label: 'Name',
    autocomplete: 'organization',
    hint: 'Readers see it on the pages to unsubscribe. You can change it later.',
    value: filled['name'] ?? '',
    maxLength: maxName,
  });
  return shown(
    'Create a project',
    html`${failed ? notice('wrong', `${failed.message}.`) : null} ${form(name, 'Create project')}
      <ul class="links">
        <li>${link(paths.account, 'Your account')}</li>
      </ul>`,
    failed ? { status: failed.status } : {},
  );
}
