import { boundedText } from '@posthorn/contracts';

export class LiquidSyntaxError extends Error {
  override readonly name = 'LiquidSyntaxError';

  constructor(
    message: string,
    readonly line: number,
    readonly column: number,
  ) {
    super(message);
  }

  static at(message: string, token: Position): LiquidSyntaxError {
    const [line = 1, column = 1] = token.getPosition();
    return new LiquidSyntaxError(message, line, column);
  }
}

export class RenderFailure extends Error {
  override readonly name = 'RenderFailure';
}

interface Position {
  file?: string;
  getPosition(): number[];
}

interface LocatedError extends Error {
  token: Position;
}

const maxTextLength = 800;

/** The library appends the position and masks `??`. */
const locationText = /(?:, file:.*?)?, line:\d+, col:\d+$/s;

export function toSyntaxError(error: unknown): LiquidSyntaxError {
  if (error instanceof LiquidSyntaxError) return error;
  return isLocated(error)
    ? LiquidSyntaxError.at(contentOf(error), error.token)
    : new LiquidSyntaxError(contentOf(error), 1, 1);
}

export function toRenderFailure(error: unknown, part: string): RenderFailure {
  if (error instanceof RenderFailure) return error;
  if (error instanceof LiquidSyntaxError)
    return new RenderFailure(`${part}, line ${error.line}, column ${error.column}: ${error.message}`);
  if (!isLocated(error)) return new RenderFailure(`${part}: ${contentOf(error)}`);
  const [line = 1, column = 1] = error.token.getPosition();
  return new RenderFailure(
    `${error.token.file ?? part}, line ${line}, column ${column}: ${contentOf(error)}`,
  );
}

function isLocated(error: unknown): error is LocatedError {
  return error instanceof Error && typeof (error as Partial<LocatedError>).token?.getPosition === 'function';
}

function contentOf(error: unknown): string {
  if (error instanceof RangeError) return 'is nested too deeply, or grows too large';
  const message = error instanceof Error ? error.message : String(error);
  const texts = message.length > maxTextLength ? message : message.replace(locationText, '');
  return boundedText(texts, maxTextLength).replaceAll('\u0001\u0001', '??');
}
