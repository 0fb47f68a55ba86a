import { scopes } from '@posthorn/contracts';
import { outsideRoutes } from './outside-routes.js';
import type { RouteTable, Route } from './route-table.js';
import { callersOf, scopesOf } from './route.js';

export function describeRoutes({ routes }: RouteTable): string {
  const head = [
    '| method | path | scope | callers | body | reply | declared in |',
    '|---|---|---|---|---|---|---|',
  ];
  const sorted = [...routes].sort((a, b) => bySubject(a).localeCompare(bySubject(b)));
  return [...head, ...sorted.map(line)].join('\n') + '\n';
}

function line({ method, path, declaration, controller, handler }: Route): string {
  const { body, reply, listed } = declaration;
  const callers = callersOf(declaration).join(', ');
  const cells = [
    method,
    `\`${path}\``,
    scopesOf(declaration).join(' or '),
    callers,
    body?.name ?? '—',
    listed ? `page of ${reply.name}` : reply.name,
    `${controller.name}.${handler}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

export function bySubject({ declaration, path, method }: Route): string {
  return `${String(scopes.indexOf(declaration.scope)).padStart(3, '0')} ${path} ${method}`;
}

export function describeOutside(): string {
  const head = ['| methods | path | callers | what |', '|---|---|---|---|'];
  return (
    [
      ...head,
      ...outsideRoutes.map(
        ({ methods, path, callers, summary }) =>
          `| ${methods.join(', ')} | \`${path}\` | ${callers} | ${summary} |`,
      ),
    ].join('\n') + '\n'
  );
}
