import type { ReceivedSpan } from '@posthorn/dev';

/** The spans of one trace in the order of their parents and starts, each with its depth. */
export function treeOf(spans: readonly ReceivedSpan[]): { span: ReceivedSpan; depth: number }[] {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const ordered = [...spans].sort((one, other) => one.startedAt - other.startedAt);
  const below = Map.groupBy(ordered, ({ parentSpanId }) =>
    parentSpanId && known.has(parentSpanId) ? parentSpanId : '',
  );
  const walk = (parent: string, depth: number): { span: ReceivedSpan; depth: number }[] =>
    (below.get(parent) ?? []).flatMap((span) => [{ span, depth }, ...walk(span.spanId, depth + 1)]);
  return walk('', 0);
}

/** The trace as text: when each step began after the first one, how long it took, who did it, and what it was. */
export function traceText(spans: readonly ReceivedSpan[]): string {
  const tree = treeOf(spans);
  const start = tree[0]?.span.startedAt ?? 0;
  const services = Math.max(...tree.map(({ span }) => serviceOf(span).length));
  const lines = tree.map(({ span, depth }) => {
    const began = `${Math.round(span.startedAt - start)} ms`.padStart(7);
    const took = `${span.durationMs.toFixed(1)} ms`.padStart(9);
    return `${began} ${took}  ${serviceOf(span).padEnd(services)}  ${'  '.repeat(depth)}${span.name}${notesOf(span)}`;
  });
  return [`${'began'.padStart(7)} ${'took'.padStart(9)}  ${'service'.padEnd(services)}  step`, ...lines].join(
    '\n',
  );
}

const serviceOf = ({ service }: ReceivedSpan): string => service.replace(/^posthorn-/, '');

function notesOf({ attributes, links, failed }: ReceivedSpan): string {
  const status = attributes['http.response.status_code'];
  const verdict = attributes['posthorn.verdict'];
  const notes = [
    status && String(status),
    verdict && String(verdict),
    links.length > 0 && `linked: ${links.length}`,
    failed && 'failed',
  ];
  const text = notes.filter(Boolean).join(', ');
  return text ? ` (${text})` : '';
}
