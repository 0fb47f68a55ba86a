import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { errorCodes } from '@posthorn/contracts';
import type { EdgeAdapter, Fastify, HttpReply } from '../wire/fastify.js';
import { RouteTable } from '../routes/route-table.js';
import { openApiDocument } from './document.js';
import { titles } from '../dialects/v1.js';

interface Asset {
  file: string | URL;
  type: string;
}

// Swagger UI uses data: images for its icons; everything else is served by the gateway.
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const html = 'text/html; charset=utf-8';
const require = createRequire(import.meta.url);
const own = (file: string): URL => new URL(file, import.meta.url);

const assets: Readonly<Record<string, Asset>> = {
  '/docs': { file: own('docs.html'), type: html },
  '/docs/docs-page.js': { file: own('docs-page.js'), type: 'text/javascript; charset=utf-8' },
  '/docs/swagger-ui-bundle.js': {
    file: require.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
    type: 'text/javascript; charset=utf-8',
  },
  '/docs/swagger-ui.css': {
    file: require.resolve('swagger-ui-dist/swagger-ui.css'),
    type: 'text/css; charset=utf-8',
  },
  '/docs/favicon.png': { file: require.resolve('swagger-ui-dist/favicon-32x32.png'), type: 'image/png' },
};

/** `/openapi.json` and its page are outside both surfaces and public. */
@Injectable()
export class Documentation implements OnApplicationBootstrap {
  private text: string | undefined;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly routes: RouteTable,
  ) {}

  onApplicationBootstrap(): void {
    const fastify = (this.host.httpAdapter as unknown as EdgeAdapter).getInstance<Fastify>();
    fastify.get('/openapi.json', (_, reply) => this.sendDocument(reply));
    fastify.get('/docs/errors', (_, reply) => reply.header('content-type', html).send(errorsPage));
    for (const [path, asset] of Object.entries(assets))
      fastify.get(path, (_, reply) => sendAsset(reply, asset));
  }

  /** Generated on the first request, because routes are complete by then and most processes never need it. */
  private sendDocument(reply: HttpReply): HttpReply {
    this.text ??= JSON.stringify(openApiDocument(this.routes));
    return reply
      .headers({
        'content-type': 'application/json; charset=utf-8',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
      })
      .send(this.text);
  }
}

async function sendAsset(reply: HttpReply, { file, type }: Asset): Promise<HttpReply> {
  const bytes = await readFile(file);
  return reply.headers({ 'content-type': type, 'content-security-policy': pagePolicy }).send(bytes);
}

/** Target of the `type` URL of problem documents, such as `/docs/errors#conflict`. */
const errorsPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Posthorn errors</title>
  </head>
  <body>
    <h1>Errors</h1>
    <p>Use the code to handle an error; its title never changes. <a href="/docs">The API reference</a> lists the codes and statuses of each operation.</p>
    <dl>
${errorCodes.map((code) => `      <dt id="${code}"><code>${code}</code></dt>\n      <dd>${titles[code]}</dd>`).join('\n')}
    </dl>
  </body>
</html>`;
