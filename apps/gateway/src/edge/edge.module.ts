import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { IdentityModule } from '../identity/identity.module.js';
import { RateLimitModule } from '../rate-limit/rate-limit.module.js';
import { BodyReader } from './bodies/body-reader.js';
import { Failures } from './http/failures.js';
import { RequestWatch } from './http/request-watch.js';
import { OpenStreams } from './routes/open-streams.js';
import { PageServer } from './routes/page-server.js';
import { Registrar } from './routes/registrar.js';
import { RequestPipeline } from './routes/request-pipeline.js';
import { ResourceServer } from './routes/resource-server.js';
import { StreamServer } from './routes/stream-server.js';
import { UploadServer } from './routes/upload-server.js';

@Module({
  imports: [DiscoveryModule, IdentityModule, RateLimitModule],
  providers: [
    Registrar,
    RequestPipeline,
    ResourceServer,
    PageServer,
    StreamServer,
    OpenStreams,
    UploadServer,
    { provide: BodyReader, useFactory: () => new BodyReader() },
    Failures,
    RequestWatch,
  ],
  exports: [Registrar, BodyReader, Failures],
})
export class EdgeModule {}
