import { Injectable } from '@nestjs/common';
import { isUpload, openUpload } from '../wire/bodies/upload.js';
import { asJson, routeRequestOf, handle, optionsOf, queryOf, type Exchange } from './exchange.js';
import { ResourceResponder, statusOf, replyBody } from './resource-responder.js';

@Injectable()
export class UploadResponder {
  constructor(private readonly resources: ResourceResponder) {}

  async serve(exchange: Exchange<'upload'>): Promise<string> {
    const { declaration, dialect, reply } = exchange;
    const { raw } = exchange.request;
    if (!isUpload(raw)) return this.resources.serve(exchange);
    try {
      const upload = await openUpload(raw, declaration.maxUploadBytes, (fields) =>
        optionsOf(exchange, fields),
      );
      const query = { ...queryOf(exchange).filters, ...upload.options };
      const result = await handle(exchange, routeRequestOf(exchange, { query, upload }));
      reply.statusCode = statusOf(declaration, dialect, result);
      return asJson(reply, replyBody(declaration, dialect, result));
    } finally {
      // The rest is read from the socket, or the next request on the connection would never be.
      raw.removeAllListeners('readable').resume();
    }
  }
}
