import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { busUsers } from '@posthorn/contracts';
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
    section('Required', [...everywhere.filter(isRequired), ...passwords]),
    section(
      'Every service',
      everywhere.filter((each) => !isRequired(each)),
    ),
  ];
  for (const service of serviceNames()) {
    const own = passed(await variablesOfApp(service)).filter(({ name }) => !seen.has(name));
    for (const { name } of own) seen.add(name);
    sections.push(section(service, [...own, ...ownDatabase(service)]));
  }
  return `# Settings of docker-compose.yml: deploy/new-env.sh makes .env of it; remove the # before each line that you set.
# A setting that is not set, or empty, has the default that stands here. docs/deploying.md says which ones matter.
# Made by \`npm run docs\` from the declarations in the code; do not edit.

${sections.join('\n')}`;
}

const passwords: Setting[] = ['postgres', ...busUsers].map((user) => ({
  name: `${user.toUpperCase()}_PASSWORD`,
  kind: 'text',
  describe: `${passwordOf(user)}; letters and digits, and a letter first, because it becomes part of URLs and of deploy/nats.conf`,
  preset: null,
}));

function passwordOf(user: string): string {
  if (user === 'postgres') return 'password of the Postgres account that creates the others';
  if (user === 'operator') return "password of the operator's commands at NATS";
  return `password of ${user} at Postgres and at NATS`;
}

const ownDatabase = (service: string): Setting[] => [
  {
    name: `${service.toUpperCase()}_DATABASE_URL`,
    kind: 'url',
    describe:
      'a database for this service instead of the one in the Postgres container; may lead to a pooler in transaction mode',
    preset: '',
  },
  {
    name: `${service.toUpperCase()}_DIRECT_DATABASE_URL`,
    kind: 'url',
    describe: 'the same database past the pooler',
    preset: '',
  },
];

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
    // A default with a password in it is no example for anybody.
    preset: mark === '?' ? null : own.includes('_PASSWORD') ? '' : own,
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
