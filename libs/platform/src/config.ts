import 'reflect-metadata';

export type VariableKind = 'text' | 'number' | 'flag' | 'url' | 'choice';

/** The only place that describes an environment variable; the documentation is generated from it. */
export interface Variable {
  name: string;
  kind: VariableKind;
  describe: string;
  /** As text; a variable without a default is required unless it is optional. */
  default?: string;
  optional?: boolean;
  min?: number;
  max?: number;
  choices?: readonly string[];
  secret?: boolean;
  /** What is wrong with the text of a value, or undefined. */
  check?: (text: string) => string | undefined;
}

export type Environment = Record<string, string | undefined>;

/** Its message says what to do, and is printed as it is. */
export class StartError extends Error {
  override name = 'StartError';
}

/** Reports every missing or invalid variable at once, each on its line. */
export class ConfigError extends StartError {
  override name = 'ConfigError';

  constructor(readonly problems: string[]) {
    super(problems.join('\n'));
  }
}

const variablesKey = Symbol('posthorn:variables');
type VariableTable = Record<string, Variable>;
export type ConfigShape<T extends object = object> = new () => T;

/** The names of all secret variables that this process can read. */
export const declaredSecrets = new Set<string>();

export function Env(name: string, variable: Omit<Variable, 'name'>): PropertyDecorator {
  if (variable.secret) declaredSecrets.add(name);
  return (target, property) => {
    const own = Reflect.getOwnMetadata(variablesKey, target.constructor) as VariableTable | undefined;
    const table = own ?? { ...variablesOf(target.constructor as ConfigShape) };
    table[property as string] = { name, ...variable };
    Reflect.defineMetadata(variablesKey, table, target.constructor);
  };
}

export function variablesOf(shape: ConfigShape): Readonly<VariableTable> {
  return (Reflect.getMetadata(variablesKey, shape) as VariableTable | undefined) ?? {};
}

export function readConfig<T extends object>(shape: ConfigShape<T>, environment: Environment): T {
  const config = new shape();
  const problems: string[] = [];
  for (const [property, variable] of Object.entries(variablesOf(shape))) {
    const text = environment[variable.name]?.trim() || variable.default;
    if (text === undefined) {
      if (!variable.optional) problems.push(`${variable.name} is missing: ${variable.describe}`);
      continue;
    }
    const value = readValue(text, variable);
    if (value instanceof Error)
      problems.push(
        `${variable.name}${variable.secret ? '' : `=${text}`} ${value.message}: ${variable.describe}`,
      );
    else (config as Record<string, unknown>)[property] = value;
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

function readValue(text: string, variable: Variable): unknown {
  const problem = variable.check?.(text);
  return problem === undefined ? readers[variable.kind](text, variable) : new Error(problem);
}

const readers: Record<VariableKind, (text: string, variable: Variable) => unknown> = {
  text: (text) => text,
  number: (text, { min = 0, max = Number.MAX_SAFE_INTEGER }) => {
    const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
    return number >= min && number <= max ? number : new Error(`must be a number from ${min} to ${max}`);
  },
  flag: (text) =>
    ['true', '1', 'false', '0'].includes(text)
      ? text === 'true' || text === '1'
      : new Error('must be true or false'),
  url: (text) => (URL.canParse(text) ? text : new Error('must be a URL')),
  choice: (text, { choices = [] }) =>
    choices.includes(text) ? text : new Error(`must be one of ${choices.join(', ')}`),
};
