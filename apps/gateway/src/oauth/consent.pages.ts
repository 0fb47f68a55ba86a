import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { isScope, roleScopes, scopeWords } from '@posthorn/contracts';
import { actFor } from '@posthorn/messaging';
import type { SessionUser } from '../identity/credential.js';
import { html } from '../pages/html.js';
import { PageDoor } from '../pages/page-door.js';
import { checkbox, choice, form, hidden, notice, sentOn, shown } from '../pages/page-kit.js';
import type { SentOn, Shown, Visit } from '../pages/page.js';
import { readAnswer, type PeopleAnswer } from '../people/people-answer.js';
import { People } from '../people/people.js';
import { askedOf, destinationOf, resumed, type Asked } from './authorization.js';
import { DelegationsRepository, type Choice } from './delegations.repository.js';
import { ledBack, refused } from './leading.js';
import { DelegationsService } from './delegations.service.js';
import { oauthPages, offlineAccess } from './oauth-rules.js';

/** Where an application asks a person to let it into one of their projects. */
@Injectable()
export class ConsentPages implements OnApplicationBootstrap {
  constructor(
    private readonly door: PageDoor,
    private readonly people: People,
    private readonly rows: DelegationsRepository,
    private readonly delegations: DelegationsService,
  ) {}

  onApplicationBootstrap(): void {
    this.door.open({ path: oauthPages.signIn, show: (visit) => this.signIn(visit) });
    this.door.open({ path: oauthPages.consent, show: (visit) => this.consider(visit), submit: (visit) => this.consider(visit) });
    this.door.open({ path: oauthPages.error, show: ({ query }) => Promise.resolve(refused(query['error'] ?? null)) });
  }

  private async signIn(visit: Visit): Promise<Shown | SentOn> {
    const asked = askedBy(visit);
    return Promise.resolve(asked ? toSignIn(asked) : refused(null));
  }

  private async consider(visit: Visit): Promise<Shown | SentOn> {
    const asked = askedBy(visit);
    const application = asked && (await this.rows.nameOf(asked.clientId));
    if (!asked || !application) return refused(asked ? 'invalid_client' : null);
    if (!visit.person) return toSignIn(asked);
    const petition = { visit, asked, application, person: visit.person, choices: await this.rows.choicesOf(visit.person.userId) };
    if (visit.request.method !== 'POST') return page(petition);
    return visit.form['answer'] === 'allow' ? this.allow(petition) : led(await this.answer(petition, { accept: false }));
  }

  private async allow(petition: Petition): Promise<Shown | SentOn> {
    const { asked, application, person, visit, choices } = petition;
    const chosen = choices.find(({ projectId }) => projectId === visit.form['project']);
    if (!chosen) return page(petition, 'Choose a project.');
    const wanted = asked.scopes.filter((scope) => visit.form[boxOf(scope)] === 'yes');
    const scopes = wanted.filter((scope) => isScope(scope) && roleScopes[chosen.role].includes(scope));
    if (scopes.length === 0)
      return page(petition, `As ${chosen.role.toLowerCase()} of ${chosen.name} you cannot let ${application} do any of this.`);
    const scope = [...scopes, ...asked.scopes.filter((each) => each === offlineAccess)].join(' ');
    const { projectId } = chosen;
    const caller = { projectId, actor: { kind: 'USER', id: person.userId, name: person.name }, address: visit.request.ip } as const;
    const ask = () => this.answer(petition, { accept: true, scope });
    return led(await actFor(caller, () => this.delegations.grant(person.userId, projectId, asked.clientId, ask)));
  }

  private async answer({ asked, visit }: Petition, body: { accept: boolean; scope?: string }): Promise<PeopleAnswer> {
    const sent = { ...body, oauth_query: asked.query };
    return readAnswer(await this.people.ask({ method: 'POST', path: '/oauth2/consent', body: sent, request: visit.request }));
  }
}

interface Petition {
  visit: Visit;
  asked: Asked;
  application: string;
  person: SessionUser;
  choices: readonly Choice[];
}

/** As it was signed, letter by letter: names occur more than once. */
const askedBy = ({ request, form: filled }: Visit): Asked | null =>
  askedOf(request.method === 'POST' ? (filled['oauth_query'] ?? '') : (request.url.split('?')[1] ?? ''));

const toSignIn = (asked: Asked): SentOn => sentOn('/sign-in', { next: resumed(asked), said: asked.anew ? 'again' : null });

const boxOf = (scope: string): string => `may ${scope}`;

function page({ asked, application, person, choices, visit }: Petition, problem?: string): Shown {
  const query = hidden('oauth_query', asked.query);
  const options = choices.map(({ projectId, name, role }) => ({ value: projectId, text: `${name} (${role.toLowerCase()})` }));
  const allowed = html`${query}${hidden('answer', 'allow')} ${choice('project', 'In the project', options, visit.form['project'])}
    <fieldset>
      <legend>It may</legend>
      ${asked.scopes.filter(isScope).map((scope) => checkbox(boxOf(scope), scopeWords[scope]))}
    </fieldset>
    <p class="quiet-text">Never more than you may yourself. ${asked.scopes.includes(offlineAccess) ? untilEnded : anHour}</p>`;
  const body = html`${problem ? notice('wrong', problem) : null}
    <p>
      You are signed in as ${person.email}. The application calls itself ${application}, and leads you back to
      <strong>${destinationOf(asked.redirectUri)}</strong>.
    </p>
    ${options.length > 0 ? form(allowed, 'Allow', oauthPages.consent) : notice('wrong', 'You are in no project yet, so there is nothing to let it into.')}
    ${form(html`${query}${hidden('answer', 'deny')}`, 'Deny', oauthPages.consent, 'quiet')}`;
  return shown(`Let ${application} in?`, body, problem ? { status: 422 } : {});
}

const untilEnded = 'It stays in until you end it, under Applications in your account.';
const anHour = 'It stays in for an hour.';

const led = ({ ok, json }: PeopleAnswer): Shown => (ok && typeof json['url'] === 'string' ? ledBack(json['url']) : refused('too_late'));
