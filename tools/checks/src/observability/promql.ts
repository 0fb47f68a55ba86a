/** A metric as an expression names it, with the labels that it is asked for. */
export interface AskedMetric {
  name: string;
  labels: string[];
}

export interface Asked {
  metrics: AskedMetric[];
  /** Labels that results are grouped or matched by. */
  grouping: string[];
}

const keywords = new Set(['and', 'or', 'unless', 'offset', 'bool', 'inf', 'nan', 'atan2']);
const lists = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const token = /[a-zA-Z_:][\w:]*|[{}()]|!=|=~|!~|[=,]|\d[\w.]*|[^\s]/g;

/** Which metrics and labels an expression names: the tokens of PromQL are enough for that, its grammar is not needed. */
export function askedBy(expression: string): Asked {
  const tokens = expression.replace(/"(?:[^"\\]|\\.)*"|'[^']*'|\[[^\]]*\]/g, ' "" ').match(token) ?? [];
  const asked: Asked = { metrics: [], grouping: [] };
  for (let at = 0; at < tokens.length; at += 1) {
    const word = tokens[at]!;
    if (word === '{') at = readSelector(tokens, at, asked);
    else if (lists.has(word) && tokens[at + 1] === '(') at = readList(tokens, at + 1, asked.grouping);
    else if (isMetric(word, tokens[at + 1])) asked.metrics.push({ name: word, labels: [] });
  }
  return asked;
}

const isMetric = (word: string, next: string | undefined): boolean =>
  /^[a-zA-Z_:]/.test(word) && !['(', 'by', 'without'].includes(next ?? '') && !keywords.has(word.toLowerCase());

/** The labels between braces, for the metric before them; answers where the braces end. */
function readSelector(tokens: readonly string[], from: number, { metrics }: Asked): number {
  const end = tokens.indexOf('}', from);
  if (end === -1) throw new Error('a brace is not closed');
  const metric = metrics.at(-1);
  for (let at = from + 1; at < end; at += 1) {
    if (/^[a-zA-Z_]/.test(tokens[at]!) && ['=', '!=', '=~', '!~'].includes(tokens[at + 1] ?? '')) metric?.labels.push(tokens[at]!);
  }
  return end;
}

function readList(tokens: readonly string[], from: number, labels: string[]): number {
  const end = tokens.indexOf(')', from);
  if (end === -1) throw new Error('a parenthesis is not closed');
  labels.push(...tokens.slice(from + 1, end).filter((word) => /^[a-zA-Z_]/.test(word)));
  return end;
}
