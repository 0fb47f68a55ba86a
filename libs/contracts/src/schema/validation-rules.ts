import { getMetadataStorage } from 'class-validator';

type Storage = ReturnType<typeof getMetadataStorage>;
type Requested = Parameters<Storage['getTargetValidationMetadatas']>;

/** class-validator collects the rules for each object, half of the validation time; they never change. */
export function rememberRules(storage: Storage = getMetadataStorage()): void {
  const gather = storage.getTargetValidationMetadatas.bind(storage);
  const known = new WeakMap<Requested[0], ReturnType<typeof gather>>();
  storage.getTargetValidationMetadatas = (shape, schema, always, strictGroups, groups) => {
    // Calls with schemas or groups are passed through.
    if (schema || always || strictGroups || groups?.length)
      return gather(shape, schema, always, strictGroups, groups);
    let rules = known.get(shape);
    if (!rules) known.set(shape, (rules = gather(shape, schema, always, strictGroups, groups)));
    return rules;
  };
}
