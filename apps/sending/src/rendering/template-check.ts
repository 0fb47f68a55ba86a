import { snippetsOf } from './analysis.js';
import { hasLiquid, LiquidSyntaxError, parse } from './liquid/liquid.js';

export interface CheckedSource {
  includes: string[];
  liquid: boolean;
}

export interface SourceFault {
  line: number;
  column: number;
  message: string;
}

export function checkSource(source: string): CheckedSource | SourceFault {
  if (!hasLiquid(source)) return { includes: [], liquid: false };
  try {
    parse(source);
    return { includes: snippetsOf(source).map(({ name }) => name), liquid: true };
  } catch (error) {
    if (!(error instanceof LiquidSyntaxError)) throw error;
    const { line, column, message } = error;
    return { line, column, message };
  }
}
