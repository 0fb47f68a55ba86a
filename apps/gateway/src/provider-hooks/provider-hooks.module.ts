import { Module } from '@nestjs/common';
import { PipelineModule } from '../pipeline/pipeline.module.js';
import { HookSignatures } from './hook-signatures.repository.js';
import { HooksEndpoint } from './hooks-endpoint.js';
import { ProviderHooks } from './provider-hooks.js';
import { BrevoHook } from './providers/brevo-hook.js';
import { MailgunHook } from './providers/mailgun-hook.js';
import { PostmarkHook } from './providers/postmark-hook.js';
import { SendgridHook } from './providers/sendgrid-hook.js';
import { SesHook } from './ses/ses-hook.js';
import { SnsMessages } from './ses/sns-messages.js';

@Module({
  imports: [PipelineModule],
  providers: [
    HooksEndpoint,
    HookSignatures,
    ProviderHooks,
    SesHook,
    SnsMessages,
    PostmarkHook,
    SendgridHook,
    MailgunHook,
    BrevoHook,
  ],
})
export class ProviderHooksModule {}
