import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { GatewayConfig } from '../../config.js';
import { html } from '../../pages/html.js';
import { PageRouter } from '../../pages/page-router.js';
import { field, form, hidden, link, sentOn, shown } from '../../pages/page-kit.js';
import type { SentOn, Shown, Visit } from '../../pages/page.js';
import { passwordHint, readAnswer, refusal, statusOf, type PeopleAnswer } from '../library/people-answer.js';
import { People } from '../people.js';
import { signUpRefusals } from '../sign-ups.js';

@Injectable()
export class SignUpPages implements OnApplicationBootstrap {
  constructor(
    private readonly router: PageRouter,
    private readonly people: People,
    private readonly config: GatewayConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.router.open({
      path: '/sign-up',
      show: (visit) => this.show(visit),
      submit: (visit) => this.signUp(visit),
    });
    this.router.open({
      path: '/verify-email',
      show: (visit) => this.showVerify(visit),
      submit: (visit) => this.verify(visit),
    });
    this.router.open({
      path: '/verify-email/again',
      show: (visit) => this.showAgain(visit),
      submit: (visit) => this.again(visit),
    });
  }

  private async show({ next, form: filled }: Visit, failed: PeopleAnswer | null = null): Promise<Shown> {
    const links = html`<ul class="links">
      <li>${link('/sign-in', 'I already have an account', next)}</li>
    </ul>`;
    if (this.config.signUp === 'off')
      return shown(
        'Sign up',
        html`<p>${signUpRefusals['SIGN_UP_IS_OFF']!}</p>
          ${links}`,
        statusOf(failed),
      );
    const fields = html` ${hidden('next', next)}
    ${field({ name: 'name', label: 'Name', autocomplete: 'name', value: filled['name'] ?? '', maxLength: 100 })}
    ${field({ name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username', value: filled['email'] ?? '', ...this.addressHint() })}
    ${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'new-password', hint: passwordHint, maxLength: 128 })}`;
    return shown('Sign up', html`${refusal(failed)} ${form(fields, 'Sign up')} ${links}`, statusOf(failed));
  }

  private addressHint(): { hint?: string } {
    return this.config.signUp === 'invite' ? { hint: 'The address that your invitation was sent to.' } : {};
  }

  private async signUp(visit: Visit): Promise<Shown | SentOn> {
    const { form: filled, next, request } = visit;
    const { name = '', email = '', password = '' } = filled;
    const body = { name: name.trim() || email, email, password, ...(next ? { callbackURL: next } : {}) };
    const answer = await readAnswer(
      await this.people.request({ method: 'POST', path: '/sign-up/email', body, request }),
    );
    return answer.ok ? sentOn('/verify-email', { next }) : this.show(visit, answer);
  }

  private async showVerify({ query, next }: Visit): Promise<Shown> {
    const { token } = query;
    if (!token)
      return shown(
        'Check your inbox',
        html`<p>We have sent a link to this address. It expires after one hour.</p>
          <ul class="links">
            <li>${link('/verify-email/again', 'Send it again', next)}</li>
            <li>${link('/sign-in', 'Sign in', next)}</li>
          </ul>`,
      );
    const fields = html`${hidden('token', token)} ${hidden('next', next)}
      <p>One more step: confirm that this address is yours.</p>`;
    return shown('Confirm your address', form(fields, 'Confirm address', '/verify-email'));
  }

  private async verify({ form: filled, next, request }: Visit): Promise<Shown | SentOn> {
    const query = { token: filled['token'] ?? '' };
    const { ok, status } = await readAnswer(
      await this.people.request({ method: 'GET', path: '/verify-email', query, request }),
    );
    if (ok) return sentOn('/sign-in', { said: 'verified', next });
    const body = html`<p>The link has expired or is incomplete.</p>
      <ul class="links">
        <li>${link('/verify-email/again', 'Send another link', next)}</li>
      </ul>`;
    return shown('This link is not valid', body, { status });
  }

  private async showAgain({ next, form: filled }: Visit, failed: PeopleAnswer | null = null): Promise<Shown> {
    const fields = html` ${hidden('next', next)}
    ${field({ name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username', value: filled['email'] ?? '' })}`;
    return shown(
      'Send the confirmation again',
      html`${refusal(failed)} ${form(fields, 'Send')}`,
      statusOf(failed),
    );
  }

  private async again(visit: Visit): Promise<Shown | SentOn> {
    const { form: filled, next, request } = visit;
    const body = { email: filled['email'] ?? '', ...(next ? { callbackURL: next } : {}) };
    const answer = await readAnswer(
      await this.people.request({ method: 'POST', path: '/send-verification-email', body, request }),
    );
    return answer.ok ? sentOn('/verify-email', { next }) : this.showAgain(visit, answer);
  }
}
