import type { PlanNode, Recorded } from './recorder.js';

/** The statements that one call was the first to ask. */
export interface Section {
  name: string;
  call: string;
  statements: (Recorded & { times: number })[];
}

export const normalized = (sql: string): string => sql.replace(/\s+/g, ' ').replace(/\$\d+/g, '$n').trim();

export function planPage(contacts: number, sections: Section[]): string {
  const parts = sections.map(({ name, call, statements }) => {
    const each = statements.map(
      ({ sql, ms, times, plan }) =>
        `${ms.toFixed(2)} ms${times > 1 ? `, the slowest of ${times}` : ''}\n\n\`\`\`sql\n${sql.replace(/\s+/g, ' ').trim()}\n\`\`\`\n\n\`\`\`text\n${renderPage(plan).join('\n')}\n\`\`\``,
    );
    return `## ${name}\n\n${call}\n\n${each.length > 0 ? each.join('\n\n') : 'Nothing that does not stand above.'}`;
  });
  return `<!-- Made by \`npm run plans:audience\`; do not edit. -->

# Plans of the contacts service

Every statement that the service asked while each of its routes was called, with the plan that it ran by (\`auto_explain\`: ANALYZE, BUFFERS), in a project of ${contacts} contacts
with five fields each, ${contacts * 10} events, two lists and twenty tracked segments, beside another of as many contacts. A statement stands where it was asked first, with its
slowest run. What follows of a call by itself, as entries and exits of segments, stands with it.

${parts.join('\n\n')}
`;
}

const conditions = [
  'Index Cond',
  'Recheck Cond',
  'Hash Cond',
  'Join Filter',
  'Filter',
  'Sort Key',
  'Conflict Resolution',
];

function renderPage(node: PlanNode, depth = 0): string[] {
  const indent = '  '.repeat(depth);
  const name = [
    node['Subplan Name'],
    node['Operation'] === 'Select' ? null : node['Operation'],
    node['Join Type'],
    node['Node Type'],
  ];
  const on = node['Relation Name'] === undefined ? '' : ` on ${node['Relation Name']}`;
  const by = node['Index Name'] === undefined ? '' : ` by ${node['Index Name']}`;
  const {
    'Plan Rows': wanted,
    'Actual Rows': rows,
    'Actual Loops': loops,
    'Shared Hit Blocks': hit,
    'Shared Read Blocks': read,
  } = node;
  const removed = node['Rows Removed by Filter'] ? `, ${node['Rows Removed by Filter']} filtered out` : '';
  const run =
    loops === 0
      ? 'never run'
      : `rows ${rows} of ${wanted} expected${loops > 1 ? `, ${loops} times` : ''}${removed}; blocks ${hit} hit, ${read} read`;
  const details = conditions.flatMap((key) =>
    node[key] === undefined ? [] : [`${indent}    ${key}: ${String(node[key]).slice(0, 300)}`],
  );
  const below = (node.Plans ?? []).flatMap((each) => renderPage(each, depth + 1));
  return [
    `${indent}${name.filter((each) => each !== null && each !== undefined).join(' ')}${by}${on}  (${run})`,
    ...details,
    ...below,
  ];
}
