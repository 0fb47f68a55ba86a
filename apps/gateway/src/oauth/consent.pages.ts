import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { isScope, roleScopes, scopeDescriptions } from '@posthorn/contracts';
import { runAsCaller } from '@posthorn/messaging';
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
    const { requested, application, person, visit, choices } = consentRequest;
    const chosen = choices.find(({ projectId }) => projectId === visit.form['project']);
    if (!chosen) return page(consentRequest, 'Select a project.');
    const wanted = requested.scopes.filter((scope) => visit.form[boxOf(scope)] === 'yes');
    const scopes = wanted.filter((scope) => isScope(scope) && roleScopes[chosen.role].includes(scope));
    if (scopes.length === 0)
      return page(
        consentRequest,
        `Your role in ${chosen.name} (${chosen.role.toLowerCase()}) does not allow you to grant any of this to ${application}.`,
      );
    const scope = [...scopes, ...requested.scopes.filter((each) => each === offlineAccess)].join(' ');
    const { projectId } = chosen;
    const caller = {
      projectId,
      actor: { kind: 'USER', id: person.userId, name: person.name },
      ipAddress: visit.request.ip,
    } as const;
    const request = () => this.answer(consentRequest, { accept: true, scope });
    return led(
      await runAsCaller(caller, () =>
        this.delegations.grant(person.userId, projectId, requested.clientId, request),
      ),
    );
  }

  private async answer(
    { requested, visit }: ConsentRequest,
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

/** Kept exactly as signed, because names may repeat. */
const requestedBy = ({ request, form: filled }: Visit): Requested | null =>
  requestedOf(request.method === 'POST' ? (filled['oauth_query'] ?? '') : (request.url.split('?')[1] ?? ''));

const toSignIn = (requested: Requested): SentOn =>
  sentOn('/sign-in', { next: resumed(requested), said: requested.fresh ? 'again' : null });

const boxOf = (scope: string): string => `may ${scope}`;

function page({ requested, application, person, choices, visit }: ConsentRequest, problem?: string): Shown {
  const query = hidden('oauth_query', requested.query);
  const options = choices.map(({ projectId, name, role }) => ({
    value: projectId,
    text: `${name} (${role.toLowerCase()})`,
  }));
  const allowed = html`${query}${hidden('answer', 'allow')}
    ${choice('project', 'Project', options, visit.form['project'])}
    <fieldset>
      <legend>Permissions</legend>
      ${requested.scopes.filter(isScope).map((scope) => checkbox(boxOf(scope), scopeDescriptions[scope]))}
    </fieldset>
    <p class="quiet-text">
      The application can never do more than you can.
      ${requested.scopes.includes(offlineAccess) ? untilEnded : anHour}
    </p>`;
  const body = html`${problem ? notice('wrong', problem) : null}
    <p>
      You are signed in as ${person.email}. The application calls itself ${application}. After your decision
      you return to <strong>${destinationOf(requested.redirectUri)}</strong>.
    </p>
    ${options.length > 0 ? form(allowed, 'Allow', oauthPages.consent) : notice('wrong', 'You are not a member of any project yet, so there is nothing to grant access to.')}
    ${form(html`${query}${hidden('answer', 'deny')}`, 'Deny', oauthPages.consent, 'quiet')}`;
  return shown(`Allow access for ${application}?`, body, problem ? { status: 422 } : {});
}

const untilEnded = 'Access lasts until you revoke it under Applications in your account.';
const anHour = 'Access lasts for one hour.';

const led = ({ ok, json }: PeopleAnswer): Shown =>
  ok && typeof json['url'] === 'string' ? ledBack(json['url']) : refused('too_late');
