import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { isUuid, type Confinement, type MemberRole, type Session } from '@posthorn/contracts';
import type { SessionUser } from '../../identity/credential.js';
import { html, type Html } from '../../pages/html.js';
import { PageRouter } from '../../pages/page-router.js';
import { field, form, hidden, link, notice, sentOn, shown } from '../../pages/page-kit.js';
import type { SentOn, Shown, Visit } from '../../pages/page.js';
import { passwordHint, readAnswer, refusal, statusOf, type PeopleAnswer } from '../library/people-answer.js';
import { deviceOf } from '../sessions/device.js';
import { People } from '../people.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import {
  AccountProjects,
  type AccountKey,
  type AccountProject,
  AccountInvitations,
  type AccountInvitation,
} from './account-projects.read-model.js';

const path = '/account';
const news: Readonly<Record<string, string>> = {
  joined: 'You are a member of the project now.',
  created: 'The project was created. Next, verify your domain and create a key: the documentation says how.',
  password: 'Your password was changed, and all other sessions were ended.',
  ended: 'The session was ended.',
  others: 'All other sessions were ended.',
};

type Act = (visit: Visit, person: SessionUser) => Promise<Shown | SentOn>;

@Injectable()
export class AccountPages implements OnApplicationBootstrap {
  constructor(
    private readonly router: PageRouter,
    private readonly people: People,
    private readonly sessions: SessionsRepository,
    private readonly projects: AccountProjects,
    private readonly invitations: AccountInvitations,
  ) {}

  onApplicationBootstrap(): void {
    const show = signedIn((visit, person) => this.show(visit, person));
    const opened = (at: string, submit: Act) =>
      this.router.open({ path: at, show, submit: signedIn(submit) });
    this.router.open({ path, show });
    opened(`${path}/password`, (visit, person) => this.changePassword(visit, person));
    opened(`${path}/sessions`, (visit, person) => this.end(visit, person));
    opened(`${path}/other-sessions`, (_, person) => this.endOthers(person));
  }

  private async show(
    { query }: Visit,
    person: SessionUser,
    failed: PeopleAnswer | null = null,
  ): Promise<Shown> {
    const { userId, sessionId, name, email } = person;
    const [sessions, hasSecondFactor, projects, invitations] = await Promise.all([
      this.sessions.list(userId, sessionId),
      this.sessions.hasSecondFactor(userId),
      this.projects.of(userId),
      this.invitations.of(userId),
    ]);
    const text = news[query['said'] ?? ''];
    const body = html` ${text && !failed ? notice('done', text) : null} ${refusal(failed)}
      <p>${name} · ${email}</p>
      <h2>Projects</h2>
      ${
        projects.length === 0
          ? html`<p>You are not a member of any project yet.</p>`
          : html`<ul class="rows">
              ${projects.map(projectRow)}
            </ul>`
      }
      ${
        invitations.length > 0
          ? html`<h3>Invitations</h3>
              <ul class="rows">
                ${invitations.map(invitationRow)}
              </ul>`
          : null
      }
      <ul class="links">
        <li>${link('/account/new-project', 'Create a project')}</li>
        <li>${link('/docs', 'Documentation')}</li>
      </ul>
      <h2>Sessions</h2>
      <ul class="rows">
        ${sessions.map(row)}
      </ul>
      ${sessions.length > 1 ? form(html``, 'End all other sessions', `${path}/other-sessions`, 'quiet') : null}
      <h2>Password</h2>
      ${form(passwords, 'Change password', `${path}/password`)}
      <h2>Two-factor authentication</h2>
      <p>
        ${hasSecondFactor ? 'Two-factor authentication is on: signing in requires a code.' : 'Two-factor authentication is off: your password alone signs you in.'}
      </p>
      <ul class="links">
        <li>${link('/account/applications', 'Applications')}</li>
        <li>
          ${link(`${path}/second-factor`, hasSecondFactor ? 'Turn off two-factor authentication' : 'Turn on two-factor authentication')}
        </li>
        <li>${link('/sign-out', 'Sign out')}</li>
      </ul>`;
    return shown('Your account', body, statusOf(failed));
  }

  private async changePassword(visit: Visit, person: SessionUser): Promise<Shown | SentOn> {
    const { form: filled, request } = visit;
    const body = { currentPassword: filled['current'] ?? '', newPassword: filled['password'] ?? '' };
    const answer = await readAnswer(
      await this.people.request({ method: 'POST', path: '/change-password', body, request }),
    );
    return answer.ok ? sentOn(path, { said: 'password' }, answer.cookies) : this.show(visit, person, answer);
  }

  private async end({ form: filled }: Visit, { userId }: SessionUser): Promise<SentOn> {
    const id = filled['id'] ?? '';
    if (isUuid(id)) await this.sessions.end(userId, id);
    return sentOn(path, { said: 'ended' });
  }

  private async endOthers({ userId, sessionId }: SessionUser): Promise<SentOn> {
    await this.sessions.endOthers(userId, sessionId);
    return sentOn(path, { said: 'others' });
  }
}

export const signedIn =
  (act: Act) =>
  async (visit: Visit): Promise<Shown | SentOn> =>
    visit.person ? act(visit, visit.person) : sentOn('/sign-in', { next: path });

const invitationRow = ({ id, project, role, invitedBy }: AccountInvitation): Html =>
  html`<li>
    <div>
      <p>${project}</p>
      <p class="quiet-text">${roleNames[role]}${invitedBy === null ? null : ` · invited by ${invitedBy}`}</p>
    </div>
    ${form(hidden('id', id), 'Accept', '/account/invitations', 'quiet')}
  </li>`;

const passwords: Html = html` ${field({ name: 'current', label: 'Current password', type: 'password', autocomplete: 'current-password', maxLength: 128 })}
${field({ name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', hint: passwordHint, maxLength: 128 })}`;

const roleNames: Record<MemberRole, string> = { OWNER: 'Owner', ADMIN: 'Admin', MEMBER: 'Member' };

function projectRow({ name, role, isDisabled, keys }: AccountProject): Html {
  return html`<li>
    <div>
      <p>${name}</p>
      <p class="quiet-text">${roleNames[role]}${isDisabled ? ' · disabled' : null}</p>
      ${keys.map(keyLine)}
    </div>
  </li>`;
}

function keyLine({ name, lastFour, mode, legacyGrantPreset, confine, lastUsedAt }: AccountKey): Html {
  const used = lastUsedAt === null ? 'never used' : `last used ${dayOf(lastUsedAt)}`;
  return html`<p class="quiet-text">
    Key “${name}” ·
    …${lastFour}${mode === 'TEST' ? ' · test' : null}${legacyGrantPreset === 'SENDING_ONLY' ? ` · ${reachOf(confine)}` : null}
    · ${used}
  </p>`;
}

function reachOf(confine: Confinement | null): string {
  if (!confine) return 'public, sends anything to anybody';
  const { origins, templateIds, recipients, subscribeOnly } = confine;
  const templates =
    templateIds && `${templateIds.length} ${templateIds.length === 1 ? 'template' : 'templates'}`;
  const sends = [templates ?? 'anything', recipients === 'CONTACTS' ? 'contacts' : 'anybody'].join(' to ');
  const from = origins && `on ${origins.join(', ')}`;
  return ['public', subscribeOnly ? 'subscribes only' : `sends ${sends}`, from].filter(Boolean).join(', ');
}

const dayOf = (instant: string): string => new Date(instant).toISOString().slice(0, 10);

function row({ id, device, address, createdAt, current }: Session): Html {
  const since = createdAt.toISOString().slice(0, 16).replace('T', ' ');
  const what = html`<div>
    <p>${deviceOf(device)}</p>
    <p class="quiet-text">${address ?? 'unknown address'} · since ${since} UTC</p>
  </div>`;
  return html`<li>
    ${what}${current ? html`<p class="done">This session</p>` : form(hidden('id', id), 'End', `${path}/sessions`, 'quiet')}
  </li>`;
}
