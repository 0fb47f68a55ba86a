import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { SessionUser } from '../../identity/credential.js';
import { html } from '../../pages/html.js';
import { PageRouter } from '../../pages/page-router.js';
import { field, form, link, notice, shown } from '../../pages/page-kit.js';
import type { SentOn, Shown, Visit } from '../../pages/page.js';
import { signedIn } from './account.pages.js';
import { readAnswer, refusal, statusOf, type PeopleAnswer } from '../library/people-answer.js';
import { People } from '../people.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';

const path = '/account/second-factor';

@Injectable()
export class SecondFactorPages implements OnApplicationBootstrap {
  constructor(
    private readonly router: PageRouter,
    private readonly people: People,
    private readonly sessions: SessionsRepository,
  ) {}

  onApplicationBootstrap(): void {
    const show = signedIn((visit, person) => this.show(visit, person));
    this.router.open({ path, show, submit: signedIn((visit, person) => this.begin(visit, person)) });
    this.router.open({ path: `${path}/confirm`, show, submit: signedIn((visit) => this.confirm(visit)) });
    this.router.open({
      path: `${path}/off`,
      show,
      submit: signedIn((visit, person) => this.turnOff(visit, person)),
    });
  }

  private async show(_: Visit, { userId }: SessionUser, failed: PeopleAnswer | null = null): Promise<Shown> {
    const on = await this.sessions.hasSecondFactor(userId);
    const password = field({
      name: 'password',
      label: 'Password',
      type: 'password',
      autocomplete: 'current-password',
      maxLength: 128,
    });
    const body = html`${refusal(failed)}
      <p>
        ${on ? 'After this, signing in requires only your password.' : 'After this, signing in also requires a code from an authenticator app.'}
      </p>
      ${form(password, on ? 'Turn off' : 'Continue', on ? `${path}/off` : path)} ${back}`;
    return shown(
      on ? 'Turn off two-factor authentication' : 'Turn on two-factor authentication',
      body,
      statusOf(failed),
    );
  }

  /** The only time the key and the backup codes are shown. */
  private async begin(visit: Visit, person: SessionUser): Promise<Shown> {
    const body = { password: visit.form['password'] ?? '' };
    const answer = await readAnswer(
      await this.people.request({ method: 'POST', path: '/two-factor/enable', body, request: visit.request }),
    );
    if (!answer.ok) return this.show(visit, person, answer);
    const { totpURI, backupCodes } = answer.json as { totpURI: string; backupCodes: string[] };
    const key = new URL(totpURI).searchParams.get('secret')!;
    return shown(
      'Set up your authenticator app',
      html`<p>Enter this key in your authenticator app, or <a href="${totpURI}">open the app directly</a>:</p>
        <p><code id="key">${key.replace(/(.{4})/g, '$1 ').trim()}</code></p>
        <h2>Backup codes</h2>
        <p>Store these codes in a safe place. Each works once, and they will not be shown again.</p>
        <ul class="codes">
          ${backupCodes.map((code) => html`<li><code>${code}</code></li>`)}
        </ul>
        ${form(codeField, 'Turn on', `${path}/confirm`)}`,
    );
  }

  private async confirm({ form: filled, request }: Visit): Promise<Shown> {
    const body = { code: (filled['code'] ?? '').replace(/\s/g, '') };
    const answer = await readAnswer(
      await this.people.request({ method: 'POST', path: '/two-factor/verify-totp', body, request }),
    );
    if (!answer.ok)
      return shown(
        'Enter the code',
        html`${refusal(answer)} ${form(codeField, 'Turn on')} ${back}`,
        statusOf(answer),
      );
    return shown(
      'Two-factor authentication is on',
      html`${notice('done', 'From now on, signing in requires a code.')} ${back}`,
      {
        cookies: answer.cookies,
      },
    );
  }

  private async turnOff(visit: Visit, person: SessionUser): Promise<Shown | SentOn> {
    const body = { password: visit.form['password'] ?? '' };
    const answer = await readAnswer(
      await this.people.request({
        method: 'POST',
        path: '/two-factor/disable',
        body,
        request: visit.request,
      }),
    );
    if (!answer.ok) return this.show(visit, person, answer);
    return shown(
      'Two-factor authentication is off',
      html`${notice('done', 'Signing in now requires only your password.')} ${back}`,
      {
        cookies: answer.cookies,
      },
    );
  }
}

const back = html`<ul class="links">
  <li>${link('/account', 'Your account')}</li>
</ul>`;
const codeField = field({
  name: 'code',
  label: 'Current code from the app',
  autocomplete: 'one-time-code',
  numeric: true,
  maxLength: 10,
});
