import { Module } from '@nestjs/common';
import { IdentityModule } from '../identity/identity.module.js';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { BodyReader } from './bodies/body-reader.js';
import { Failures } from './http/failures.js';
import { RequestWatch } from './http/request-watch.js';
import { AnsweredRoutes } from './routes/answered-routes.js';
import { OpenStreams } from './routes/open-streams.js';
import { ListResponder } from './routes/list-responder.js';
import { Registrar } from './routes/registrar.js';
import { RequestPipeline } from './routes/request-pipeline.js';
import { ResourceResponder } from './routes/resource-responder.js';
import { StreamResponder } from './routes/stream-responder.js';
import { UploadResponder } from './routes/upload-responder.js';

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
export class EdgeModule {}
