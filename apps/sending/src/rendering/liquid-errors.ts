import { boundedText } from '@posthorn/contracts';

/** A source that is no Liquid: refused where it is saved, with the place. */
export class LiquidSyntaxError extends Error {
  override readonly name = 'LiquidSyntaxError';

  constructor(
    message: string,
    readonly line: number,
    readonly column: number,
  ) {
    super(message);
  }

  static at(message: string, token: Place): LiquidSyntaxError {
    const [line = 1, column = 1] = token.getPosition();
    return new LiquidSyntaxError(message, line, column);
  }
}

/** A message that could not be rendered; what is wrong, for its sender to read. */
export class RenderFailure extends Error {
  override readonly name = 'RenderFailure';
}

interface Place {
  file?: string;
  /** Line and column. */
  getPosition(): number[];
}

interface PlacedError extends Error {
  token: Place;
}

/** An error may quote a value of any size. */
const maxWords = 800;

/** The library writes the place behind its words, and marks `??` in its own way. */
const placeWords = /(?:, file:.*?)?, line:\d+, col:\d+$/s;

export function toSyntaxError(error: unknown): LiquidSyntaxError {
  if (error instanceof LiquidSyntaxError) return error;
  return isPlaced(error) ? LiquidSyntaxError.at(wordsOf(error), error.token) : new LiquidSyntaxError(wordsOf(error), 1, 1);
}

export function toRenderFailure(error: unknown, part: string): RenderFailure {
  if (error instanceof RenderFailure) return error;
  if (error instanceof LiquidSyntaxError) return new RenderFailure(`${part}, line ${error.line}, column ${error.column}: ${error.message}`);
  if (!isPlaced(error)) return new RenderFailure(`${part}: ${wordsOf(error)}`);
  const [line = 1, column = 1] = error.token.getPosition();
  return new RenderFailure(`${error.token.file ?? part}, line ${line}, column ${column}: ${wordsOf(error)}`);
}

function isPlaced(error: unknown): error is PlacedError {
  return error instanceof Error && typeof (error as Partial<PlacedError>).token?.getPosition === 'function';
}

function wordsOf(error: unknown): string {
  if (error instanceof RangeError) return 'is nested too deeply, or grows too large';
  const message = error instanceof Error ? error.message : String(error);
  const words = message.length > maxWords ? message : message.replace(placeWords, '');
  return boundedText(words, maxWords).replaceAll('\u0001\u0001', '??');
}
