import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { isScope, roleScopes, scopeWords } from '@posthorn/contracts';
import { actFor } from '@posthorn/messaging';
import type { SessionUser } from '../identity/credential.js';
import { html, type Html } from '../pages/html.js';
import { PageDoor } from '../pages/page-door.js';
import { choice, form, hidden, link, notice, sentOn, shown } from '../pages/page-kit.js';
import type { SentOn, Shown, Visit } from '../pages/page.js';
import { readAnswer, type PeopleAnswer } from '../people/people-answer.js';
import { People } from '../people/people.js';
import { askedOf, destinationOf, resumed, type Asked } from './authorization.js';
import { DelegationsRepository, type Choice } from './delegations.repository.js';
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
    this.door.open({ path: oauthPages.error, show: ({ query }) => Promise.resolve(failed(query['error_description'])) });
  }

  private async signIn(visit: Visit): Promise<Shown | SentOn> {
    const asked = askedBy(visit);
    return Promise.resolve(asked ? toSignIn(asked) : failed());
  }

  private async consider(visit: Visit): Promise<Shown | SentOn> {
    const asked = askedBy(visit);
    const application = asked && (await this.rows.nameOf(asked.clientId));
    if (!asked || !application) return failed();
    if (!visit.person) return toSignIn(asked);
    const request = { visit, asked, application, person: visit.person, choices: await this.rows.choicesOf(visit.person.userId) };
    if (visit.request.method !== 'POST') return page(request);
    return visit.form['answer'] === 'allow' ? this.allow(request) : led(await this.answer(request, { accept: false }));
  }

  private async allow(request: Request): Promise<Shown | SentOn> {
    const { asked, application, person, visit, choices } = request;
    const chosen = choices.find(({ projectId }) => projectId === visit.form['project']);
    if (!chosen) return page(request, 'Choose a project.');
    const scopes = asked.scopes.filter((scope) => isScope(scope) && roleScopes[chosen.role].includes(scope));
    if (scopes.length === 0)
      return page(request, `As ${chosen.role.toLowerCase()} of ${chosen.name} you cannot let ${application} do any of this.`);
    const scope = [...scopes, ...asked.scopes.filter((each) => each === offlineAccess)].join(' ');
    const { projectId } = chosen;
    const caller = { projectId, actor: { kind: 'USER', id: person.userId, name: person.name }, address: visit.request.ip } as const;
    const ask = () => this.answer(request, { accept: true, scope });
    return led(await actFor(caller, () => this.delegations.grant(person.userId, projectId, asked.clientId, ask)));
  }

  private async answer({ asked, visit }: Request, body: { accept: boolean; scope?: string }): Promise<PeopleAnswer> {
    const sent = { ...body, oauth_query: asked.query };
    return readAnswer(await this.people.ask({ method: 'POST', path: '/oauth2/consent', body: sent, request: visit.request }));
  }
}

interface Request {
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

function page({ asked, application, person, choices, visit }: Request, problem?: string): Shown {
  const { says, source } = destinationOf(asked.redirectUri);
  const query = hidden('oauth_query', asked.query);
  const options = choices.map(({ projectId, name, role }) => ({ value: projectId, text: `${name} (${role.toLowerCase()})` }));
  const allowed = html`${query}${hidden('answer', 'allow')}${choice('project', 'Project', options, visit.form['project'])}`;
  const body = html`${problem ? notice('wrong', problem) : null}
    <p>
      You are signed in as ${person.email}. The application, which calls itself ${application}, leads you back to <strong>${says}</strong>.
    </p>
    <h2>In the project that you choose it may</h2>
    ${inWords(asked.scopes)}
    <p class="quiet-text">Never more than you may yourself. ${asked.scopes.includes(offlineAccess) ? lasting : passing}</p>
    ${options.length > 0 ? form(allowed, 'Allow', oauthPages.consent) : notice('wrong', 'You are in no project yet, so there is nothing to let it into.')}
    ${form(html`${query}${hidden('answer', 'deny')}`, 'Deny', oauthPages.consent, 'quiet')}`;
  return shown(`Let ${application} in?`, body, { leadsTo: source, ...(problem ? { status: 422 } : {}) });
}

const lasting = 'It stays in until you end it, under Applications in your account.';
const passing = 'It stays in for an hour.';

const inWords = (asked: readonly string[]): Html =>
  html`<ul class="plain-list">
    ${asked.filter(isScope).map((scope) => html`<li>${scopeWords[scope]}</li>`)}
  </ul>`;

/** Back to the application, with a code or with a refusal. */
const led = ({ ok, json }: PeopleAnswer): Shown | SentOn =>
  ok && typeof json['url'] === 'string' ? { location: json['url'] } : failed('it took too long, or the request was changed on its way');

const failed = (why?: string): Shown =>
  shown(
    'The application cannot be let in',
    html`<p>Its request does not work${why ? html`: ${why.slice(0, 200)}` : null}. Go back to the application and begin again.</p>
      <ul class="links">
        <li>${link('/account', 'Your account')}</li>
      </ul>`,
    { status: 400 },
  );
