import { readFileSync } from 'node:fs';
import { serviceNames } from '@posthorn/contracts';
import { ConfigError, declaredSecrets, type Environment } from './config.js';

/** Read beside the declarations, because their names begin with that of a service. */
const ownUrls = serviceNames.flatMap((service) =>
  ['DATABASE', 'DIRECT_DATABASE', 'NATS'].map((server) => `${service.toUpperCase()}_${server}_URL`),
);

/**
 * The environment with the content of the file in the place of each `<NAME>_FILE` of a secret variable. Called once, where a
 * process begins: nothing behind it knows of files.
 */
export function withSecretFiles(environment: Environment): Environment {
  const complete = { ...environment };
  const problems: string[] = [];
  for (const name of [...declaredSecrets, ...ownUrls]) {
    const file = environment[`${name}_FILE`]?.trim();
    if (!file) continue;
    delete complete[`${name}_FILE`];
    if (environment[name]?.trim()) problems.push(`${name} and ${name}_FILE are both set: keep one of them`);
    else complete[name] = contentOf(file, (problem) => problems.push(`${name}_FILE=${file} ${problem}`));
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return complete;
}

function contentOf(file: string, report: (problem: string) => void): string | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim();
    if (text === '') report('is empty');
    return text;
  } catch (error) {
    report(`cannot be read (${(error as NodeJS.ErrnoException).code})`);
    return undefined;
  }
}
