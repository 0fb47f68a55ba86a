import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';

export interface LogOptions {
  service: string;
  level: string;
  format: string;
}

/** Nest's logger on pino. Lines never carry an address, a subject or a token above debug. */
export class PinoLogger implements LoggerService {
  private readonly pino: Logger;

  constructor({ service, level, format }: LogOptions) {
    this.pino = pino(
      { level, base: { service }, timestamp: pino.stdTimeFunctions.isoTime },
      format === 'text' ? new TextLines() : pino.destination(1),
    );
  }

  log = (message: unknown, ...rest: unknown[]) => this.write('info', message, rest);
  error = (message: unknown, ...rest: unknown[]) => this.write('error', message, rest);
  warn = (message: unknown, ...rest: unknown[]) => this.write('warn', message, rest);
  debug = (message: unknown, ...rest: unknown[]) => this.write('debug', message, rest);
  fatal = (message: unknown, ...rest: unknown[]) => this.write('fatal', message, rest);
  verbose = (message: unknown, ...rest: unknown[]) => this.write('trace', message, rest);

  private write(level: 'info' | 'error' | 'warn' | 'debug' | 'fatal' | 'trace', message: unknown, rest: unknown[]): void {
    const context = rest.at(-1);
    const fields = { ...(typeof context === 'string' ? { context } : {}), ...(rest[0] instanceof Error ? { err: rest[0] } : {}) };
    // The framework tells of every route and module at start: of interest only to who debugs the framework.
    const chatter = typeof context === 'string' && frameworkContexts.has(context) && level === 'info';
    if (message instanceof Error) this.pino[level]({ ...fields, err: message }, message.message);
    else if (typeof message === 'object' && message !== null) this.pino[level]({ ...fields, ...message });
    else this.pino[chatter ? 'debug' : level](fields, String(message));
  }
}

const frameworkContexts = new Set([
  'NestFactory',
  'InstanceLoader',
  'NestApplication',
  'NestMicroservice',
  'RouterExplorer',
  'RoutesResolver',
]);

/** One readable line for each entry, without a transport thread. */
class TextLines {
  write(line: string): void {
    const { time, level, service, context, msg, err } = JSON.parse(line) as Record<string, string> & {
      level: number;
      err?: { stack?: string };
    };
    const name = level >= 50 ? 'ERROR' : level >= 40 ? 'warn' : level >= 30 ? '' : 'debug';
    const parts = [time?.slice(11, 23), service, context && `[${context}]`, name, msg, err?.stack && `\n${err.stack}`];
    process.stdout.write(`${parts.filter(Boolean).join(' ')}\n`);
  }
}
