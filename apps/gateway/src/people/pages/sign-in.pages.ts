import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { html } from '../../pages/html.js';
import { PageRouter } from '../../pages/page-router.js';
import { field, form, hidden, link, notice, sentOn, shown } from '../../pages/page-kit.js';
import type { SentOn, Shown, Visit } from '../../pages/page.js';
import { readAnswer, refusal, statusOf, type PeopleAnswer } from '../library/people-answer.js';
import { People } from '../people.js';

/** What other pages have just done. */
const news: Readonly<Record<string, string>> = {
  verified: 'Your address is confirmed. Sign in.',
  reset: 'Your new password is set, and every session has ended. Sign in.',
  'signed-out': 'You are signed out.',
  again: 'Sign in once more: the application asks for it.',
};

const homePath = '/account';

@Injectable()
export class SignInPages implements OnApplicationBootstrap {
  constructor(
    private readonly router: PageRouter,
    private readonly people: People,
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
        <li>${link('/sign-up', 'Sign up', next)}</li>
        <li>${link('/forgot-password', 'Forgot the password?')}</li>
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
      hint: 'The six digits of your authenticator app, or one of your backup codes.',
      maxLength: 20,
    })}`;
    const body = html`${refusal(failed)} ${form(fields, 'Go on', '/sign-in/code')}
      <ul class="links">
        <li>${link('/sign-in', 'Begin again', next)}</li>
      </ul>`;
    return shown('Second factor', body, statusOf(failed));
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
