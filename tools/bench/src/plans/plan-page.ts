import type { PlanNode, Recorded } from './recorder.js';

/** The statements that one call was the first to ask. */
export interface Section {
  name: string;
  call: string;
  statements: (Recorded & { times: number })[];
}

export const normalized = (sql: string): string => sql.replace(/\s+/g, ' ').replace(/\$\d+/g, '$n').trim();

/** What stands above the sections. */
export interface PageHead {
  script: string;
  title: string;
  text: string;
}

export function planPage({ script, title, text }: PageHead, sections: Section[]): string {
  const parts = sections.map(({ name, call, statements }) => {
    const each = statements.map(
      ({ service, sql, ms, times, plan }) =>
        `${service}: ${ms.toFixed(2)} ms${times > 1 ? `, the slowest of ${times}` : ''}\n\n\`\`\`sql\n${sql.replace(/\s+/g, ' ').trim()}\n\`\`\`\n\n\`\`\`text\n${renderPage(plan).join('\n')}\n\`\`\``,
    );
    return `## ${name}\n\n${call}\n\n${each.length > 0 ? each.join('\n\n') : 'Nothing that does not stand above.'}`;
  });
  return `<!-- Made by \`${script}\`; do not edit. -->

# ${title}

${text} A statement stands where it was asked first, with its slowest run and the plan of that run (\`auto_explain\`: ANALYZE, BUFFERS).

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
