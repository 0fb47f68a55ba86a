import type { ContentToAnalyse } from '@posthorn/contracts';

/** Of the Liquid that stand-ins of sending understand; a template or a snippet may use anything. */
export function usedPaths({
  template,
  subject = '',
  body = '',
  from,
  texts = [],
}: ContentToAnalyse): string[] {
  const all = [subject, body, from?.name ?? '', ...texts.map(({ text }) => text)].join(' ');
  const roots = ['contact', 'event', 'context', 'workflow', 'execution', 'steps'];
  if (template !== undefined || /\{%|\{\{-?\s*>|\[/.test(all))
    return roots.map((name) => JSON.stringify([name]));
  return [...all.matchAll(/\{\{ *([\w.]+) *\}\}/g)].map(([, path]) => JSON.stringify(path!.split('.')));
}
