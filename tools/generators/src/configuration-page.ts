import { existsSync, readdirSync } from 'node:fs';
import { ServiceConfig, variablesOf, type ConfigShape, type Variable } from '@posthorn/platform';
import { code, list } from './markdown.js';

export const apps = new URL('../../../apps/', import.meta.url);

export async function configurationPage(): Promise<string> {
  const shared = Object.values(variablesOf(ServiceConfig));
  const sections: string[] = [];
  for (const app of readdirSync(apps).sort()) {
    const own = (await variablesOfApp(app)).filter(
      (variable) => !shared.some((other) => isSame(other, variable)),
    );
    if (own.length > 0) sections.push(`## ${app}\n\n${listOf(own)}`);
  }
  return `# Configuration

Environment variables. If any is invalid or missing, the service does not start and lists all of them. The values of secret
variables are never logged, and each may stand in a file instead, which \`<NAME>_FILE\` names, such as \`NATS_URL_FILE\`.

## Every service

${listOf(shared)}
A service also reads \`<SERVICE>_DATABASE_URL\` (such as \`SENDING_DATABASE_URL\`): the URL of its own database, which is then not derived from
\`DATABASE_URL\`. It may lead to a pooler in transaction mode; then \`<SERVICE>_DIRECT_DATABASE_URL\` leads to the server itself, for \`provision\` and
migrations. \`sslmode\` in a URL is \`disable\`, \`require\`, \`verify-ca\` or \`verify-full\`.

${sections.join('\n')}`;
}

export async function variablesOfApp(app: string): Promise<Variable[]> {
  const file = new URL(`${app}/src/config.js`, apps);
  if (!existsSync(file)) return [];
  const exported = Object.values((await import(file.href)) as Record<string, unknown>);
  const shapes = exported.filter((value): value is ConfigShape => typeof value === 'function');
  return shapes.flatMap((shape) => Object.values(variablesOf(shape)));
}

function listOf(variables: Variable[]): string {
  return list(
    variables.map((variable) => [
      variable.name,
      [kindOf(variable), defaultOf(variable), ...(variable.secret ? ['secret'] : [])].join(', '),
      variable.describe,
    ]),
  );
}

function isSame(one: Variable, other: Variable): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export function kindOf({ kind, choices, min, max }: Variable): string {
  if (kind === 'choice') return (choices ?? []).map(code).join(', ');
  if (kind !== 'number' || (min === undefined && max === undefined)) return kind;
  return max === undefined ? `number ≥ ${min}` : `number ${min ?? 0}–${max}`;
}

function defaultOf({ default: preset, optional }: Variable): string {
  if (preset !== undefined) return `default ${code(preset)}`;
  return optional ? 'optional' : 'required';
}
