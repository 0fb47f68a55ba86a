import { Injectable, Logger } from '@nestjs/common';
import { DomainError } from '@posthorn/contracts';
import { fromDatabaseError, newId } from '@posthorn/database';
import { CallFailed, countRefused, currentService, isAnyServerAway } from '@posthorn/messaging';
import { currentContext } from '@posthorn/telemetry';
import { GatewayConfig } from '../config.js';
import { statusOfKind } from '../dialects/dialect.js';
import { resourceMetadataUrlOf } from '../oauth/oauth-rules.js';
import { dialectOfPath } from '../dialects/dialects.js';
import { notJson, unexpected, unknownRoute, wrongMediaType } from '../wire/errors.js';
import type { HttpReply, HttpRequest } from '../wire/fastify.js';
import { wantsHtml } from '../wire/headers.js';
import type { Route } from '../routes/route-table.js';

/** Errors that Fastify raises before any route matches. */
const frameworkFailures: Readonly<Record<string, () => DomainError>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: wrongMediaType,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: notJson,
  FST_ERR_BAD_URL: unknownRoute,
  FST_ERR_MAX_PARAM_LENGTH: unknownRoute,
};

@Injectable()
export class Failures {
  private readonly log = new Logger('Edge');

  /** Tells clients where to get a token (RFC 9728 §5.1). */
  private readonly challenge: string;

  constructor(private readonly config: GatewayConfig) {
    this.challenge = `Bearer resource_metadata="${resourceMetadataUrlOf(config)}"`;
  }

  answer(thrown: unknown, request: HttpRequest, reply: HttpReply, route?: Route): void {
    // A request that Fastify refuses before its hooks run has no context yet.
    const requestId = currentContext()?.requestIds[0] ?? newId();
    const error = this.report(thrown, request, requestId, route);
    if (error.code === 'invalid_session' && route?.declaration.alsoHtml && wantsHtml(request.raw))
      return toSignIn(request, reply);
    const instance = pathOf(request.url);
    const dialect = dialectOfPath(instance);
    const { retryAfterSeconds, allow, limit } = error.details;
    if (retryAfterSeconds !== undefined)
      void reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfterSeconds))));
    if (limit !== undefined) void reply.headers(exhausted(limit, retryAfterSeconds ?? 1));
    if (allow) void reply.header('allow', allow.join(', '));
    if (error.kind === 'unauthenticated') void reply.header('www-authenticate', this.challenge);
    const shape = route?.declaration.errorShape ?? route?.declaration.body ?? route?.declaration.query;
    const queryNames = route?.declaration.legacyQueryNames;
    const body = dialect.error(error, {
      instance,
      requestId,
      shape,
      queryNames,
      docsUrl: this.config.docsUrl,
    });
    // As bytes, because Fastify adds a charset to strings, which application/problem+json does not define.
    void reply
      .code(statusOfKind[error.kind])
      .header('content-type', dialect.errorType)
      .send(Buffer.from(JSON.stringify(body)));
  }

  report(thrown: unknown, request: HttpRequest, requestId = '', route?: Route): DomainError {
    const error = this.toDomainError(thrown, route);
    this.write(
      thrown,
      error,
      `${request.method} ${route?.path ?? '(no route)'}`,
      currentContext() ? '' : `${requestId} `,
    );
    return error;
  }

  /** On a route that accepts mail, an unavailable service is `enqueue_failed` (docs/api-decisions.md §1). */
  private toDomainError(thrown: unknown, route?: Route): DomainError {
    const error =
      thrown instanceof DomainError
        ? thrown
        : (frameworkFailure(thrown) ?? fromDatabaseError(thrown) ?? unexpected());
    if (error.kind !== 'unavailable' && error.kind !== 'timeout') return error;
    const code = error.code === 'internal_error' && route?.isSend ? 'enqueue_failed' : error.code;
    // A timeout of a service behind the one that was called says nothing about this request.
    const isLateRead = route?.declaration.onlyReads && error instanceof CallFailed;
    const kind = isLateRead ? error.kind : 'unavailable';
    return new DomainError(kind, code, error.message, {
      ...error.details,
      retryAfterSeconds: error.details.retryAfterSeconds ?? 1,
    });
  }

  private write(thrown: unknown, error: DomainError, operation: string, prefix: string): void {
    const line = `${prefix}${operation}: ${statusOfKind[error.kind]} ${error.code}`;
    if (error.kind === 'internal') this.log.error(`${line} ${(thrown as Error).stack ?? String(thrown)}`);
    else if (error.kind === 'unavailable' || error.kind === 'timeout')
      this.writeRefused(thrown as Error, line);
    else this.log.log(line);
  }

  /** While a server is known to be away, the log says so once and not for every request. */
  private writeRefused(thrown: Error, line: string): void {
    currentService()?.noteFailure(thrown);
    if (isAnyServerAway()) {
      countRefused();
      this.log.debug(`${line} ${thrown.message}`);
    } else {
      this.log.warn(`${line} ${thrown.message}`);
    }
  }
}

const exhausted = (limit: number, seconds: number): Record<string, string> => ({
  'x-ratelimit-limit': String(limit),
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': String(Math.ceil(Date.now() / 1_000 + seconds)),
});

/** A person who follows a link signs in first and is then redirected back to it. */
function toSignIn({ url }: HttpRequest, reply: HttpReply): void {
  void reply
    .code(303)
    .header('location', `/sign-in?${new URLSearchParams({ next: url }).toString()}`)
    .send();
}

export const pathOf = (url: string): string => {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
};

function frameworkFailure(thrown: unknown): DomainError | null {
  const code = (thrown as { code?: string } | null)?.code ?? '';
  return frameworkFailures[code]?.() ?? null;
}
