import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { html } from '../../pages/html.js';
import { PageRouter } from '../../pages/page-router.js';
import { field, form, hidden, link, sentOn, shown } from '../../pages/page-kit.js';
import type { SentOn, Shown, Visit } from '../../pages/page.js';
import { passwordHint, readAnswer, refusal, statusOf, type PeopleAnswer } from '../library/people-answer.js';
import { People } from '../people.js';

@Injectable()
export class PasswordPages implements OnApplicationBootstrap {
  constructor(
    private readonly router: PageRouter,
    private readonly people: People,
  ) {}

  onApplicationBootstrap(): void {
    this.router.open({
      path: '/forgot-password',
      show: (visit) => this.showForgot(visit),
      submit: (visit) => this.forgot(visit),
    });
    this.router.open({
      path: '/reset-password',
      show: (visit) => this.showReset(visit),
      submit: (visit) => this.reset(visit),
    });
  }

  private async showForgot({ form: filled }: Visit, failed: PeopleAnswer | null = null): Promise<Shown> {
    const fields = html`<p>We will send you a link to set a new password.</p>
      ${field({ name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username', value: filled['email'] ?? '' })}`;
    const body = html`${refusal(failed)} ${form(fields, 'Send link')}
      <ul class="links">
        <li>${link('/sign-in', 'Sign in')}</li>
      </ul>`;
    return shown('Forgot your password?', body, statusOf(failed));
  }

  /** The response does not reveal whether the address has an account. */
  private async forgot(visit: Visit): Promise<Shown> {
    const { form: filled, request } = visit;
    const body = { email: filled['email'] ?? '' };
    const answer = await readAnswer(
      await this.people.request({ method: 'POST', path: '/request-password-reset', body, request }),
    );
    if (!answer.ok) return this.showForgot(visit, answer);
    return shown(
      'Check your inbox',
      html`<p>
          If an account with this address exists, we have sent it a link. The link works once and expires
          after one hour.
        </p>
        <ul class="links">
          <li>${link('/sign-in', 'Sign in')}</li>
        </ul>`,
    );
  }

  private async showReset(
    { query, form: filled }: Visit,
    failed: PeopleAnswer | null = null,
  ): Promise<Shown> {
    const token = filled['token'] ?? query['token'];
    if (!token || failed?.code === 'INVALID_TOKEN') return dead;
    const fields = html` ${hidden('token', token)}
    ${field({ name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', hint: passwordHint, maxLength: 128 })}`;
    return shown(
      'Set a new password',
      html`${refusal(failed)} ${form(fields, 'Set password', '/reset-password')}`,
      statusOf(failed),
    );
  }

  private async reset(visit: Visit): Promise<Shown | SentOn> {
    const { form: filled, request } = visit;
    const body = { token: filled['token'] ?? '', newPassword: filled['password'] ?? '' };
    const answer = await readAnswer(
      await this.people.request({ method: 'POST', path: '/reset-password', body, request }),
    );
    return answer.ok ? sentOn('/sign-in', { said: 'reset' }) : this.showReset(visit, answer);
  }
}

const dead = shown(
  'This link is not valid',
  html`<p>The link was already used or has expired.</p>
    <ul class="links">
      <li>${link('/forgot-password', 'Send another link')}</li>
    </ul>`,
  { status: 400 },
);
