import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { GatewayConfig } from '../../config.js';
import { html } from '../../pages/html.js';
import { PageRouter } from '../../pages/page-router.js';
import { field, form, hidden, link, notice, sentOn, shown } from '../../pages/page-kit.js';
import type { SentOn, Shown, Visit } from '../../pages/page.js';
import { readAnswer, refusal, statusOf, type PeopleAnswer } from '../library/people-answer.js';
import { People } from '../people.js';

const news: Readonly<Record<string, string>> = {
  verified: 'Your address is confirmed. You can sign in now.',
  reset: 'Your new password is set, and all sessions were ended. Please sign in.',
  'signed-out': 'You have signed out.',
  again: 'Please sign in again: the application requires it.',
};

const homePath = '/account';

@Injectable()
export class SignInPages implements OnApplicationBootstrap {
  constructor(
    private readonly router: PageRouter,
    private readonly people: People,
    private readonly config: GatewayConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.router.open({
      path: '/sign-in',
      show: (visit) => this.show(visit),
      submit: (visit) => this.signIn(visit),
    });
    this.router.open({
      path: '/sign-in/code',
      show: (visit) => this.showCode(visit),
      submit: (visit) => this.code(visit),
    });
    this.router.open({
      path: '/sign-out',
      show: () => this.showSignOut(),
      submit: (visit) => this.signOut(visit),
    });
  }

  private async show(
    { person, next, query, form: filled }: Visit,
    failed: PeopleAnswer | null = null,
  ): Promise<Shown | SentOn> {
    if (person && !failed && !query['said']) return sentOn(next ?? homePath);
    const text = news[query['said'] ?? ''];
    const fields = html` ${hidden('next', next)}
    ${field({ name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username', value: filled['email'] ?? '' })}
    ${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', maxLength: 128 })}`;
    const body = html` ${text && !failed ? notice('done', text) : null} ${refusal(failed)}
      ${form(fields, 'Sign in', '/sign-in')}
      <ul class="links">
        ${this.config.signUp === 'off' ? null : html`<li>${link('/sign-up', 'Sign up', next)}</li>`}
        <li>${link('/forgot-password', 'Forgot your password?')}</li>
      </ul>`;
    return shown('Sign in', body, statusOf(failed));
  }

  private async signIn(visit: Visit): Promise<Shown | SentOn> {
    const { form: filled, next, request } = visit;
    const { email = '', password = '' } = filled;
    const body = { email, password, ...(next ? { callbackURL: next } : {}) };
    const answer = await readAnswer(
      await this.people.request({ method: 'POST', path: '/sign-in/email', body, request }),
    );
    if (answer.code === 'EMAIL_NOT_VERIFIED') return sentOn('/verify-email', { next });
    if (!answer.ok) return this.show(visit, answer);
    const needsCode = answer.json['twoFactorRedirect'] === true;
    return needsCode
      ? sentOn('/sign-in/code', { next }, answer.cookies)
      : sentOn(next ?? homePath, {}, answer.cookies);
  }

  private async showCode({ next }: Visit, failed: PeopleAnswer | null = null): Promise<Shown> {
    const fields = html` ${hidden('next', next)}
    ${field({
      name: 'code',
      label: 'Code',
      autocomplete: 'one-time-code',
      hint: 'The six-digit code from your authenticator app, or a backup code.',
      maxLength: 20,
    })}`;
    const body = html`${refusal(failed)} ${form(fields, 'Continue', '/sign-in/code')}
      <ul class="links">
        <li>${link('/sign-in', 'Start over', next)}</li>
      </ul>`;
    return shown('Two-factor authentication', body, statusOf(failed));
  }

  private async code(visit: Visit): Promise<Shown | SentOn> {
    const { form: filled, next, request } = visit;
    const code = (filled['code'] ?? '').replace(/\s/g, '');
    const path = /^\d{6}$/.test(code) ? '/two-factor/verify-totp' : '/two-factor/verify-backup-code';
    const answer = await readAnswer(
      await this.people.request({ method: 'POST', path, body: { code }, request }),
    );
    return answer.ok ? sentOn(next ?? homePath, {}, answer.cookies) : this.showCode(visit, answer);
  }

  private async showSignOut(): Promise<Shown> {
    return shown('Sign out', form(html`<p>This ends your session in this browser.</p>`, 'Sign out'));
  }

  private async signOut({ request }: Visit): Promise<SentOn> {
    const { cookies } = await readAnswer(
      await this.people.request({ method: 'POST', path: '/sign-out', request }),
    );
    return sentOn('/sign-in', { said: 'signed-out' }, cookies);
  }
}
