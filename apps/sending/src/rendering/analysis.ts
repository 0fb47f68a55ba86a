import { analyzeSync, toValueSync, Variable, type Template } from 'liquidjs';
import { parse } from './liquid/liquid.js';
import { IncludedSnippet, SnippetTag } from './liquid/snippet-tag.js';

/** A variable that the source reads and does not assign, such as `contact.data.plan`. */
export interface VariableUse {
  name: string;
  path: (string | number)[];
}

export interface SnippetUse {
  name: string;
  line: number;
  column: number;
}

export function snippetsOf(source: string): SnippetUse[] {
  const uses = new Map<string, SnippetUse>();
  for (const { snippet, token } of inclusionsIn(parse(source))) {
    if (uses.has(snippet)) continue;
    const [line = 1, column = 1] = token.getPosition();
    uses.set(snippet, { name: snippet, line, column });
  }
  return [...uses.values()];
}

export function variablesOf(source: string, snippets: Record<string, string> = {}): VariableUse[] {
  const uses = new Map<string, VariableUse>();
  for (const part of [source, ...reachedFrom(source, snippets)]) {
    for (const variable of Object.values(analyzeSync(parse(part), { partials: false }).globals).flat()) {
      const path = pathOf(variable);
      const name = path.join('.');
      if (path.length > 0 && name !== 'now') uses.set(name, { name, path });
    }
  }
  return [...uses.values()];
}

export interface UsesSource {
  sources: string[];
  snippets: Record<string, string>;
}

/** Each once, as JSON. */
export const usedPaths = ({ sources, snippets }: UsesSource): string[] => [
  ...new Set(
    sources.flatMap((source) => variablesOf(source, snippets)).map(({ path }) => JSON.stringify(path)),
  ),
];

export function isMissing({ path }: VariableUse, variables: Record<string, unknown>): boolean {
  let value: unknown = variables;
  for (const step of path) {
    if (value === null || value === undefined) return true;
    if (!Object.hasOwn(value, step)) return !isComputed(value, step);
    value = (value as Record<string | number, unknown>)[step];
  }
  return value === null || value === undefined;
}

const isComputed = (value: unknown, step: string | number): boolean =>
  step === 'size' || (Array.isArray(value) && value.length > 0 && (step === 'first' || step === 'last'));

function* inclusionsIn(templates: Iterable<Template>): Generator<IncludedSnippet | SnippetTag> {
  for (const template of templates) {
    if (template instanceof IncludedSnippet || template instanceof SnippetTag) yield template;
    else if (template.children)
      yield* inclusionsIn(toValueSync(template.children(false, true)) as Template[]);
  }
}

function reachedFrom(source: string, snippets: Record<string, string>): string[] {
  const reached = new Map<string, string>();
  const follow = (part: string): void => {
    for (const { name } of snippetsOf(part)) {
      if (!reached.has(name) && Object.hasOwn(snippets, name)) {
        reached.set(name, snippets[name]!);
        follow(snippets[name]!);
      }
    }
  };
  follow(source);
  return [...reached.values()];
}

function pathOf({ segments }: Variable): (string | number)[] {
  const end = segments.findIndex((segment) => segment instanceof Variable);
  return (end === -1 ? segments : segments.slice(0, end)) as (string | number)[];
}
