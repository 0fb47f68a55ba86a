import { Module } from '@nestjs/common';
import { PipelineModule } from '../pipeline/pipeline.module.js';
import { EmailsModule } from '../emails/emails.module.js';
import { IdentityModule } from '../identity/identity.module.js';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { PostmarkElsewhere } from './postmark-elsewhere.js';
import { PostmarkEndpoint } from './postmark-endpoint.js';
import { PostmarkSends } from './postmark-sends.js';

@Module({
  imports: [IdentityModule, RateLimitModule, PipelineModule, EmailsModule],
  providers: [PostmarkElsewhere, PostmarkEndpoint, PostmarkSends],
})
export class CompatModule {}
