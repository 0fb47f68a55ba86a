import { Injectable } from '@nestjs/common';
import { GatewayConfig } from '../config.js';
import { html, type Html } from '../pages/html.js';
import type { SystemMailKind } from '../system-mails/mail-limits.js';
import { SystemMails, type SystemMail } from '../system-mails/system-mails.js';

/** Mails never contain the name of the account, because a stranger could have typed it. */
export interface Addressee {
  email: string;
}

interface Invited extends Addressee {
  projectId: string;
}

@Injectable()
export class PeopleMails {
  private readonly base: string;
  private readonly howToEnter: string;

  constructor(
    config: GatewayConfig,
    private readonly mails: SystemMails,
  ) {
    this.howToEnter = config.signUp === 'off' ? 'sign in' : 'sign in or sign up';
    this.base = config.publicUrl.replace(/\/+$/, '');
  }

  async verifyAddress(to: Addressee, token: string, next: string | null): Promise<void> {
    await this.write('confirmation', to, 'Confirm your address', {
      why: 'Somebody, probably you, signed up with this address. Please confirm that it is yours:',
      action: 'Confirm address',
      link: this.link('/verify-email', { token, ...(next ? { next } : {}) }),
      otherwise: 'The link expires after one hour. If this was not you, you can ignore this mail.',
    });
  }

  async resetPassword(to: Addressee, token: string): Promise<void> {
    await this.write('passwordReset', to, 'Set a new password', {
      why: 'Somebody, probably you, requested a new password for this address:',
      action: 'Set a new password',
      link: this.link('/reset-password', { token }),
      otherwise:
        'The link works once and expires after one hour. If this was not you, ignore this mail; your password will not change.',
    });
  }

  async alreadyHere(to: Addressee): Promise<void> {
    await this.write('existingAccount', to, 'You already have an account', {
      why: 'Somebody, probably you, tried to sign up with this address, which already has an account:',
      action: 'Sign in',
      link: this.link('/sign-in'),
      otherwise: `Forgot your password? ${this.link('/forgot-password')}`,
    });
  }

  // Leaves the name of the project out, because a stranger chose it. Returns 0, or the seconds until this
  // address may be invited again: then nothing was sent.
  invitation({ email, projectId }: Invited, by: string | null, token: string): Promise<number> {
    const mail = letterTo(email, 'You have been invited to a project', {
      why: `${by ?? 'A member'} invites you to join a project. To accept, ${this.howToEnter} with this address:`,
      action: 'View invitation',
      link: this.link('/invitations/accept', { token }),
      otherwise:
        'The link works once and for this address only, and expires after seven days. If you do not want to join, you can ignore this mail.',
    });
    return this.mails.send('invitation', mail, projectId);
  }

  private link(path: string, query: Record<string, string> = {}): string {
    const parameters = new URLSearchParams(query).toString();
    return `${this.base}${path}${parameters ? `?${parameters}` : ''}`;
  }

  private write(kind: SystemMailKind, { email }: Addressee, subject: string, texts: Texts): Promise<number> {
    return this.mails.send(kind, letterTo(email, subject, texts));
  }
}

interface Texts {
  why: string;
  action: string;
  link: string;
  otherwise: string;
}

function letterTo(to: string, subject: string, texts: Texts): SystemMail {
  const { why, link, otherwise } = texts;
  return { to, subject, text: `${why}\n\n${link}\n\n${otherwise}\n`, body: letter(texts).text };
}

const letter = ({ why, action, link, otherwise }: Texts): Html =>
  html`<!doctype html>
    <html lang="en">
      <body style="font: 16px/1.5 system-ui, sans-serif; color: #1c1e21">
        <p>${why}</p>
        <p>
          <a
            href="${link}"
            style="display: inline-block; padding: 10px 18px; border-radius: 8px; background: #b4530a; color: #fff"
            >${action}</a
          >
        </p>
        <p style="color: #64686f">${otherwise}</p>
      </body>
    </html>`;
