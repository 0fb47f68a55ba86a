import type { LoggerService } from '@nestjs/common';
import { currentService, isExplainedByOutage, outageLogContext, Repeats } from '@posthorn/messaging';
import { currentContext } from '@posthorn/telemetry';
import { pino, type DestinationStream, type Logger } from 'pino';

export interface LogOptions {
  service: string;
  level: string;
  format: string;
}

/** Nest's logger on pino. Lines carry request and trace ids, and never addresses, subjects or tokens. */
export class PinoLogger implements LoggerService {
  private readonly pino: Logger;
  private readonly repeats = new Repeats();

  constructor({ service, level, format }: LogOptions, destination?: DestinationStream) {
    this.pino = pino(
      {
        level,
        base: null,
        timestamp: pino.stdTimeFunctions.isoTime,
        // The services of one process share the logger of the last one that started.
        mixin: () => ({ service: currentService()?.name ?? service, ...contextFields() }),
        serializers: { err: reportedError },
      },
      format === 'text' ? new TextLines(destination ?? process.stdout) : (destination ?? pino.destination(1)),
    );
  }

  log = (message: unknown, ...rest: unknown[]) => this.write('info', message, rest);
  error = (message: unknown, ...rest: unknown[]) => this.write('error', message, rest);
  warn = (message: unknown, ...rest: unknown[]) => this.write('warn', message, rest);
  debug = (message: unknown, ...rest: unknown[]) => this.write('debug', message, rest);
  fatal = (message: unknown, ...rest: unknown[]) => this.write('fatal', message, rest);
  verbose = (message: unknown, ...rest: unknown[]) => this.write('trace', message, rest);

  private write(
    level: 'info' | 'error' | 'warn' | 'debug' | 'fatal' | 'trace',
    message: unknown,
    rest: unknown[],
  ): void {
    const context = rest.at(-1);
    const fields = {
      ...(typeof context === 'string' ? { context } : {}),
      ...(rest[0] instanceof Error ? { err: rest[0] } : {}),
    };
    const text = message instanceof Error ? message.message : String(message);
    const isForDebugging = isChatter(level, context) || (level === 'warn' && this.isKnown(text, context));
    this.pino[isForDebugging ? 'debug' : level](
      message instanceof Error ? { ...fields, err: message } : fields,
      withoutSecrets(text),
    );
  }

  /** A warning that only repeats what the log shows already; those of a request are needed to find it. */
  private isKnown(text: string, context: unknown): boolean {
    if (context === outageLogContext) return false;
    if (isExplainedByOutage(text)) return true;
    return (
      (currentContext()?.requestIds.length ?? 0) === 0 &&
      !this.repeats.isNew(`${currentService()?.name} ${String(context)} ${text}`)
    );
  }
}

/** Nest logs every route and module at startup, which helps only when debugging Nest. */
const isChatter = (level: string, context: unknown): boolean =>
  typeof context === 'string' && frameworkContexts.has(context) && level === 'info';

const frameworkContexts = new Set([
  'NestFactory',
  'InstanceLoader',
  'NestApplication',
  'NestMicroservice',
  'RouterExplorer',
  'RoutesResolver',
]);

function contextFields(): object {
  const context = currentContext();
  if (!context) return {};
  const { requestIds, traces } = context;
  return {
    ...(requestIds.length === 1 && { request_id: requestIds[0] }),
    ...(requestIds.length > 1 && { request_ids: requestIds }),
    ...(traces.length > 0 && { trace_id: traces[0]!.traceId, span_id: traces[0]!.spanId }),
  };
}

/** Only these members, because drivers add the values of a statement to its error. */
function reportedError({ name, message, stack, code }: Error & { code?: unknown }): object {
  return { type: name, code, message: withoutSecrets(message), stack: stack && withoutSecrets(stack) };
}

/** One readable line per entry, without a transport thread. */
class TextLines {
  constructor(private readonly destination: DestinationStream) {}

  write(line: string): void {
    const { time, level, service, context, msg, err, request_id, trace_id } = JSON.parse(line) as Record<
      string,
      string
    > & {
      level: number;
      err?: { stack?: string };
    };
    const name = level >= 50 ? 'ERROR' : level >= 40 ? 'warn' : level >= 30 ? '' : 'debug';
    // Ids begin with the time; their end is random.
    const ids = [request_id && `request …${request_id.slice(-8)}`, trace_id && `trace ${trace_id}`]
      .filter(Boolean)
      .join(', ');
    const parts = [
      time?.slice(11, 23),
      service,
      context && `[${context}]`,
      name,
      msg,
      ids && `(${ids})`,
      err?.stack && `\n${err.stack}`,
    ];
    this.destination.write(`${parts.filter(Boolean).join(' ')}\n`);
  }
}

/** Removed from log lines, whoever produced their text. */
const secrets: readonly [pattern: RegExp, instead: string][] = [
  [/\b(?:[sp]k_(?:live|test)|o(?:at|rt|cs))_\w+/g, '<key>'],
  [/(:\/\/)[^\s/@]+@/g, '$1<credentials>@'],
  // Broader than the grammar of addresses. Paths such as /@scope/name do not match: nothing precedes the @.
  [/[^\s<>()[\]"'`,;:/\\@=]{1,320}@[^\s<>()"'`,;/\\@=]{0,253}[^\s<>()"'`,;/\\@=.]/g, '<address>'],
];

function withoutSecrets(text: string): string {
  return text.includes('@') || text.includes('_')
    ? secrets.reduce((left, [pattern, instead]) => left.replace(pattern, instead), text)
    : text;
}
