import { Module } from '@nestjs/common';
import { IdentityModule } from '../identity/identity.module.js';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { BodyReader } from '../wire/bodies/body-reader.js';
import { Failures } from './failures.js';
import { RequestWatch } from './request-watch.js';
import { AnsweredRoutes } from './answered-routes.js';
import { OpenStreams } from './open-streams.js';
import { ListResponder } from './list-responder.js';
import { Registrar } from './registrar.js';
import { RequestPipeline } from './request-pipeline.js';
import { ResourceResponder } from './resource-responder.js';
import { StreamResponder } from './stream-responder.js';
import { UploadResponder } from './upload-responder.js';

@Module({
  imports: [IdentityModule, RateLimitModule],
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
  ],
  exports: [Registrar, BodyReader, Failures],
})
export class PipelineModule {}
