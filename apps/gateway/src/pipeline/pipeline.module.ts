import { Module } from '@nestjs/common';
import { IdentityModule } from '../identity/identity.module.js';
import { Registrar, AnsweredRoutes } from './registrar.js';
import { Failures } from './failures.js';
import { ListResponder } from './list-responder.js';
import { StreamResponder, OpenStreams } from './stream-responder.js';
import { RequestPipeline } from './request-pipeline.js';
import { RequestWatch } from './request-watch.js';
import { ResourceResponder, UploadResponder } from './resource-responder.js';
import { RateLimiter } from '../rate-limit/rate-limiter.js';
import { RateWindowsRepository } from '../rate-limit/rate-windows.repository.js';
import { BodyReader } from '../wire/bodies/body-reader.js';

@Module({
  imports: [IdentityModule],
  providers: [
    Registrar,
    AnsweredRoutes,
    RequestPipeline,
    ResourceResponder,
    ListResponder,
    StreamResponder,
    OpenStreams,
    UploadResponder,
    { provide: BodyReader, useFactory: () => new BodyReader() },
    Failures,
    RequestWatch,
    RateLimiter,
    RateWindowsRepository,
  ],
  exports: [Registrar, BodyReader, Failures, RateLimiter],
})
export class PipelineModule {}
