/** A metric as an expression names it, with the labels that it is asked for. */
export interface QueriedMetric {
  name: string;
  labels: string[];
}

export interface Requested {
  metrics: QueriedMetric[];
  /** Labels that results are grouped or matched by. */
  grouping: string[];
}

const keywords = new Set(['and', 'or', 'unless', 'offset', 'bool', 'inf', 'nan', 'atan2']);
const lists = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const token = /[a-zA-Z_:][\w:]*|[{}()]|!=|=~|!~|[=,]|\d[\w.]*|[^\s]/g;

/** Which metrics and labels an expression names: the tokens of PromQL are enough for that, its grammar is not needed. */
export function requestedBy(expression: string): Requested {
  const tokens = expression.replace(/"(?:[^"\\]|\\.)*"|'[^']*'|\[[^\]]*\]/g, ' "" ').match(token) ?? [];
  const requested: Requested = { metrics: [], grouping: [] };
  for (let at = 0; at < tokens.length; at += 1) {
    const text = tokens[at]!;
    if (text === '{') at = readSelector(tokens, at, requested);
    else if (lists.has(text) && tokens[at + 1] === '(') at = readList(tokens, at + 1, requested.grouping);
    else if (isMetric(text, tokens[at + 1])) requested.metrics.push({ name: text, labels: [] });
  }
  return requested;
}

const isMetric = (text: string, next: string | undefined): boolean =>
  /^[a-zA-Z_:]/.test(text) &&
  !['(', 'by', 'without'].includes(next ?? '') &&
  !keywords.has(text.toLowerCase());

/** The labels between braces, for the metric before them; returns where the braces end. */
function readSelector(tokens: readonly string[], from: number, { metrics }: Requested): number {
  const end = tokens.indexOf('}', from);
  if (end === -1) throw new Error('a brace is not closed');
  const metric = metrics.at(-1);
  for (let at = from + 1; at < end; at += 1) {
    if (/^[a-zA-Z_]/.test(tokens[at]!) && ['=', '!=', '=~', '!~'].includes(tokens[at + 1] ?? ''))
      metric?.labels.push(tokens[at]!);
  }
  return end;
}

function readList(tokens: readonly string[], from: number, labels: string[]): number {
  const end = tokens.indexOf(')', from);
  if (end === -1) throw new Error('a parenthesis is not closed');
  labels.push(...tokens.slice(from + 1, end).filter((text) => /^[a-zA-Z_]/.test(text)));
  return end;
}
