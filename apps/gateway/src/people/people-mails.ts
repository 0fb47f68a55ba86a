import { Injectable } from '@nestjs/common';
import { GatewayConfig } from '../config.js';
import { html, type Html } from '../pages/html.js';
import { SystemMails } from '../system-mails/system-mails.js';

/** By address alone: a name is what a stranger typed, and would be read as ours. */
export interface Addressee {
  email: string;
}

/** What people are told by mail about their own account. */
@Injectable()
export class PeopleMails {
  private readonly base: string;

  constructor(
    config: GatewayConfig,
    private readonly mails: SystemMails,
  ) {
    this.base = config.publicUrl.replace(/\/+$/, '');
  }

  /** `next` is where the person goes on once the address is confirmed. */
  verifyAddress(to: Addressee, token: string, next: string | null): Promise<void> {
    return this.write(to, 'Confirm your address', {
      why: 'Somebody, probably you, signed up with this address. Confirm that it is yours:',
      action: 'Confirm this address',
      link: this.link('/verify-email', { token, ...(next ? { next } : {}) }),
      otherwise: 'The link works for one hour. If it was not you, nothing happens without it.',
    });
  }

  resetPassword(to: Addressee, token: string): Promise<void> {
    return this.write(to, 'Choose a new password', {
      why: 'Somebody, probably you, asked for a new password for this address:',
      action: 'Choose a new password',
      link: this.link('/reset-password', { token }),
      otherwise: 'The link works once, for one hour. If it was not you, your password stays as it is.',
    });
  }

  alreadyHere(to: Addressee): Promise<void> {
    return this.write(to, 'You have an account already', {
      why: 'Somebody, probably you, signed up with this address, which has an account already:',
      action: 'Sign in',
      link: this.link('/sign-in'),
      otherwise: `If you forgot the password: ${this.link('/forgot-password')}`,
    });
  }

  /** Named is who invites, by an address that is confirmed; what a project is called is what a stranger typed. */
  invitation(to: Addressee, by: string | null, token: string): Promise<void> {
    return this.write(to, 'You are invited', {
      why: `${by ?? 'A member'} invites you to work in a project. Sign in, or sign up with this address, to accept:`,
      action: 'Look at the invitation',
      link: this.link('/invitations/accept', { token }),
      otherwise: 'The link works once, for seven days, for this address only. Without it nothing happens.',
    });
  }

  private link(path: string, query: Record<string, string> = {}): string {
    const parameters = new URLSearchParams(query).toString();
    return `${this.base}${path}${parameters ? `?${parameters}` : ''}`;
  }

  private write({ email }: Addressee, subject: string, texts: Texts): Promise<void> {
    const { why, link, otherwise } = texts;
    const text = `${why}\n\n${link}\n\n${otherwise}\n`;
    return this.mails.send({ to: email, subject, text, body: letter(texts).text });
  }
}

interface Texts {
  why: string;
  action: string;
  link: string;
  otherwise: string;
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
