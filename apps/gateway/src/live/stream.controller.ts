import { Controller } from '@nestjs/common';
import {
  eventIdInFuture,
  eventIdMalformed,
  eventIdOfAnother,
  eventIdTooOld,
  StreamedEvent,
  StreamOptions,
  tooManyStreams,
} from '@posthorn/contracts';
import type { LiveStream } from '../routes/live-stream.js';
import { Get } from '../routes/route.js';
import type { RouteRequest } from '../routes/route-request.js';
import { LiveStreams } from './live-streams.js';

@Controller()
export class StreamController {
  constructor(private readonly streams: LiveStreams) {}

  @Get('stream', {
    summary: 'Follow the events of the project as they happen; the header Last-Event-ID resumes',
    scope: 'events:read',
    query: StreamOptions,
    reply: StreamedEvent,
    streamed: 'live',
    errors: [
      eventIdMalformed,
      eventIdOfAnother,
      eventIdInFuture,
      eventIdTooOld,
      () => tooManyStreams(1, 1, 'project'),
    ],
  })
  follow({ caller, surface, query, lastEventId }: RouteRequest<object, StreamOptions>): Promise<LiveStream> {
    return this.streams.stream({ projectId: caller.projectId, surface, types: query.types, lastEventId });
  }
}
