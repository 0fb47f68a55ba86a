import { Injectable } from '@nestjs/common';
import type { ProviderHook } from './provider-hook.js';
import { BrevoHook } from './providers/brevo-hook.js';
import { MailgunHook } from './providers/mailgun-hook.js';
import { PostmarkHook } from './providers/postmark-hook.js';
import { SendgridHook } from './providers/sendgrid-hook.js';
import { SesHook } from './ses/ses-hook.js';

@Injectable()
export class ProviderHooks {
  private readonly byName: ReadonlyMap<string, ProviderHook>;

  constructor(
    ses: SesHook,
    postmark: PostmarkHook,
    sendgrid: SendgridHook,
    mailgun: MailgunHook,
    brevo: BrevoHook,
  ) {
    this.byName = new Map<string, ProviderHook>(Object.entries({ ses, postmark, sendgrid, mailgun, brevo }));
  }

  of(name: string): ProviderHook | null {
    const hook = this.byName.get(name);
    return hook?.isEnabled() ? hook : null;
  }
}
