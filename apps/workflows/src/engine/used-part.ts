type Json = Record<string, unknown>;
export type VariablePath = readonly (string | number)[];

interface Uses {
  isWhole: boolean;
  below: Map<string, Uses>;
}

/** What is at the paths, and nothing else; what a path ends at, and what is a list, as a whole. */
export const usedPart = (variables: Json, paths: readonly VariablePath[]): Json =>
  partOf(variables, usesIn(paths)) as Json;

function usesIn(paths: readonly VariablePath[]): Uses {
  const root: Uses = { isWhole: false, below: new Map() };
  for (const path of paths) {
    let uses = root;
    for (const name of path.map(String)) {
      const below = uses.below.get(name) ?? { isWhole: false, below: new Map<string, Uses>() };
      uses.below.set(name, below);
      uses = below;
    }
    uses.isWhole = true;
  }
  return root;
}

function partOf(value: unknown, { isWhole, below }: Uses): unknown {
  if (isWhole || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept = [...below].filter(([name]) => Object.hasOwn(value, name));
  return Object.fromEntries(kept.map(([name, uses]) => [name, partOf((value as Json)[name], uses)]));
}
