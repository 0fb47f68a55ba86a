import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { isScope, roleScopes, scopeDescriptions } from '@posthorn/contracts';
import { actFor } from '@posthorn/messaging';
import type { SessionUser } from '../identity/credential.js';
import { html } from '../pages/html.js';
import { PageRouter } from '../pages/page-router.js';
import { checkbox, choice, form, hidden, notice, sentOn, shown } from '../pages/page-kit.js';
import type { SentOn, Shown, Visit } from '../pages/page.js';
import { readAnswer, type PeopleAnswer } from '../people/library/people-answer.js';
import { People } from '../people/people.js';
import { requestedOf, destinationOf, resumed, type Requested } from './authorization.js';
import { DelegationsRepository, type Choice } from './delegations.repository.js';
import { ledBack, refused } from './leading.js';
import { DelegationsService } from './delegations.service.js';
import { oauthPages, offlineAccess } from './oauth-rules.js';

/** Where an application asks a person to let it into one of their projects. */
@Injectable()
export class ConsentPages implements OnApplicationBootstrap {
  constructor(
    private readonly router: PageRouter,
    private readonly people: People,
    private readonly rows: DelegationsRepository,
    private readonly delegations: DelegationsService,
  ) {}

  onApplicationBootstrap(): void {
    this.router.open({ path: oauthPages.signIn, show: (visit) => this.signIn(visit) });
    this.router.open({
      path: oauthPages.consent,
      show: (visit) => this.consider(visit),
      submit: (visit) => this.consider(visit),
    });
    this.router.open({
      path: oauthPages.error,
      show: ({ query }) => Promise.resolve(refused(query['error'] ?? null)),
    });
  }

  private async signIn(visit: Visit): Promise<Shown | SentOn> {
    const requested = requestedBy(visit);
    return Promise.resolve(requested ? toSignIn(requested) : refused(null));
  }

  private async consider(visit: Visit): Promise<Shown | SentOn> {
    const requested = requestedBy(visit);
    const application = requested && (await this.rows.nameOf(requested.clientId));
    if (!requested || !application) return refused(requested ? 'invalid_client' : null);
    if (!visit.person) return toSignIn(requested);
    const consentRequest = {
      visit,
      requested,
      application,
      person: visit.person,
      choices: await this.rows.choicesOf(visit.person.userId),
    };
    if (visit.request.method !== 'POST') return page(consentRequest);
    return visit.form['answer'] === 'allow'
      ? this.allow(consentRequest)
      : led(await this.answer(consentRequest, { accept: false }));
  }

  private async allow(consentRequest: ConsentRequest): Promise<Shown | SentOn> {
    const { requested: requested, application, person, visit, choices } = consentRequest;
    const chosen = choices.find(({ projectId }) => projectId === visit.form['project']);
    if (!chosen) return page(consentRequest, 'Choose a project.');
    const wanted = requested.scopes.filter((scope) => visit.form[boxOf(scope)] === 'yes');
    const scopes = wanted.filter((scope) => isScope(scope) && roleScopes[chosen.role].includes(scope));
    if (scopes.length === 0)
      return page(
        consentRequest,
        `As ${chosen.role.toLowerCase()} of ${chosen.name} you cannot let ${application} do any of this.`,
      );
    const scope = [...scopes, ...requested.scopes.filter((each) => each === offlineAccess)].join(' ');
    const { projectId } = chosen;
    const caller = {
      projectId,
      actor: { kind: 'USER', id: person.userId, name: person.name },
      address: visit.request.ip,
    } as const;
    const request = () => this.answer(consentRequest, { accept: true, scope });
    return led(
      await actFor(caller, () =>
        this.delegations.grant(person.userId, projectId, requested.clientId, request),
      ),
    );
  }

  private async answer(
    { requested: requested, visit }: ConsentRequest,
    body: { accept: boolean; scope?: string },
  ): Promise<PeopleAnswer> {
    const sent = { ...body, oauth_query: requested.query };
    return readAnswer(
      await this.people.request({
        method: 'POST',
        path: '/oauth2/consent',
        body: sent,
        request: visit.request,
      }),
    );
  }
}

interface ConsentRequest {
  visit: Visit;
  requested: Requested;
  application: string;
  person: SessionUser;
  choices: readonly Choice[];
}

/** As it was signed, letter by letter: names occur more than once. */
const requestedBy = ({ request, form: filled }: Visit): Requested | null =>
  requestedOf(request.method === 'POST' ? (filled['oauth_query'] ?? '') : (request.url.split('?')[1] ?? ''));

const toSignIn = (requested: Requested): SentOn =>
  sentOn('/sign-in', { next: resumed(requested), said: requested.fresh ? 'again' : null });

const boxOf = (scope: string): string => `may ${scope}`;

function page(
  { requested: requested, application, person, choices, visit }: ConsentRequest,
  problem?: string,
): Shown {
  const query = hidden('oauth_query', requested.query);
  const options = choices.map(({ projectId, name, role }) => ({
    value: projectId,
    text: `${name} (${role.toLowerCase()})`,
  }));
  const allowed = html`${query}${hidden('answer', 'allow')}
    ${choice('project', 'In the project', options, visit.form['project'])}
    <fieldset>
      <legend>It may</legend>
      ${requested.scopes.filter(isScope).map((scope) => checkbox(boxOf(scope), scopeDescriptions[scope]))}
    </fieldset>
    <p class="quiet-text">
      Never more than you may yourself. ${requested.scopes.includes(offlineAccess) ? untilEnded : anHour}
    </p>`;
  const body = html`${problem ? notice('wrong', problem) : null}
    <p>
      You are signed in as ${person.email}. The application calls itself ${application}, and leads you back to
      <strong>${destinationOf(requested.redirectUri)}</strong>.
    </p>
    ${options.length > 0 ? form(allowed, 'Allow', oauthPages.consent) : notice('wrong', 'You are in no project yet, so there is nothing to let it into.')}
    ${form(html`${query}${hidden('answer', 'deny')}`, 'Deny', oauthPages.consent, 'quiet')}`;
  return shown(`Let ${application} in?`, body, problem ? { status: 422 } : {});
}

const untilEnded = 'It stays in until you end it, under Applications in your account.';
const anHour = 'It stays in for an hour.';

const led = ({ ok, json }: PeopleAnswer): Shown =>
  ok && typeof json['url'] === 'string' ? ledBack(json['url']) : refused('too_late');
