import { getMetadataStorage } from 'class-validator';

type Storage = ReturnType<typeof getMetadataStorage>;
type Requested = Parameters<Storage['getTargetValidationMetadatas']>;

/**
 * class-validator gathers the rules of a class anew for each object, over every class that has any: half of what a
 * request's validation took. A class's rules are complete once it is defined, so they are gathered once.
 */
export function rememberRules(storage: Storage = getMetadataStorage()): void {
  const gather = storage.getTargetValidationMetadatas.bind(storage);
  const known = new WeakMap<Requested[0], ReturnType<typeof gather>>();
  storage.getTargetValidationMetadatas = (shape, schema, always, strictGroups, groups) => {
    // Schemas and groups are nothing of ours: what asks for them gets its own answer.
    if (schema || always || strictGroups || groups?.length)
      return gather(shape, schema, always, strictGroups, groups);
    let rules = known.get(shape);
    if (!rules) known.set(shape, (rules = gather(shape, schema, always, strictGroups, groups)));
    return rules;
  };
}
