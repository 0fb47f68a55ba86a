import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { ServiceConfig, variablesOf, type Variable } from '@posthorn/platform';
import { apps, kindOf, variablesOfApp } from './configuration-page.js';

const compose = new URL('../../../../docker-compose.yml', import.meta.url);
const width = 140;

interface Setting extends Pick<Variable, 'name' | 'describe'> {
  kind: string;
  /** As docker-compose.yml has it; null where it must be set. */
  preset: string | null;
}

/** The settings that docker-compose.yml passes to the services, each with the default that it has there. */
export async function envExample(): Promise<string> {
  const composed = readFileSync(compose, 'utf8');
  const passed = (variables: readonly Variable[]) =>
    variables
      .filter(({ name }) => composed.includes(`${name}: \${${name}:`))
      .map((each) => settingOf(each, composed));
  const everywhere = passed(Object.values(variablesOf(ServiceConfig)));
  const seen = new Set(everywhere.map(({ name }) => name));
  const sections = [
    section('Required', [...everywhere.filter(isRequired), password]),
    section(
      'Every service',
      everywhere.filter((each) => !isRequired(each)),
    ),
  ];
  for (const service of serviceNames()) {
    const own = passed(await variablesOfApp(service)).filter(({ name }) => !seen.has(name));
    for (const { name } of own) seen.add(name);
    sections.push(section(service, [...own, ownDatabase(service)]));
  }
  return `# Settings of docker-compose.yml: cp .env.example .env, and remove the # before each line that you set.
# A setting that is not set, or empty, has the default that stands here. docs/deploying.md says which ones matter.
# Made by \`npm run docs\` from the declarations in the code; do not edit.

${sections.join('\n')}`;
}

const password: Setting = {
  name: 'POSTGRES_PASSWORD',
  kind: 'text',
  describe:
    'password of the Postgres container; letters and digits only, because it becomes part of a URL: openssl rand -hex 24',
  preset: null,
};

const ownDatabase = (service: string): Setting => ({
  name: `${service.toUpperCase()}_DATABASE_URL`,
  kind: 'url',
  describe: 'a database for this service, which is then not derived from DATABASE_URL',
  preset: '',
});

const isRequired = ({ preset }: Setting): boolean => preset === null;

/** A folder of apps/ with a service.ts is a service. */
const serviceNames = (): string[] =>
  readdirSync(apps)
    .filter((app) => existsSync(new URL(`${app}/src/service.js`, apps)))
    .sort();

function settingOf(variable: Variable, composed: string): Setting {
  const { name, describe } = variable;
  const [, mark, preset] = new RegExp(`^ +${name}: \\$\\{${name}:([-?])(.*)\\}$`, 'm').exec(composed)!;
  const own = (preset || variable.default) ?? '';
  return {
    name,
    describe,
    kind: kindOf(variable),
    preset: mark === '?' ? null : own.replace(/:\?[^}]*\}/g, '}'),
  };
}

function section(title: string, settings: readonly Setting[]): string {
  return `# ${'-'.repeat(20)} ${title} ${'-'.repeat(20)}\n\n${settings.map(lines).join('\n')}`;
}

function lines({ name, kind, describe, preset }: Setting): string {
  const text = wrapped(`${describe} (${kind.replaceAll('`', '')})`)
    .map((line) => `# ${line}\n`)
    .join('');
  return preset === null ? `${text}${name}=\n` : `${text}#${name}=${quoted(preset)}\n`;
}

const quoted = (value: string): string => (/[\s#]/.test(value) ? `"${value}"` : value);

function wrapped(text: string): string[] {
  const wrappedLines = [''];
  for (const word of text.split(' ')) {
    const last = wrappedLines.at(-1)!;
    if (last.length + word.length + 3 > width) wrappedLines.push(word);
    else wrappedLines[wrappedLines.length - 1] = last ? `${last} ${word}` : word;
  }
  return wrappedLines;
}
