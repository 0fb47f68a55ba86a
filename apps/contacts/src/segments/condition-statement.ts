import type { CompileScope } from './compiling/compile-condition.js';

/** The parameters of a statement over the contacts of one project: `$1` is the project, `$2` the current time. */
export class ConditionStatement {
  readonly parameters: unknown[];

  constructor(projectId: string, now: Date) {
    this.parameters = [projectId, now];
  }

  scope(alias: string): CompileScope {
    return {
      alias,
      project: '$1::uuid',
      now: '$2::timestamptz',
      add: (value) => `$${this.parameters.push(value)}`,
    };
  }

  /** Also uses `$2`, because Postgres cannot infer the type of an unused parameter. */
  within(alias: string): string {
    return `${alias}.project_id = $1::uuid AND $2::timestamptz IS NOT NULL`;
  }
}
