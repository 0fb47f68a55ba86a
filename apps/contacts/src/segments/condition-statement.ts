import type { CompileScope } from './compiling/compile-condition.js';

/** The parameters of a statement over the contacts of one project, of which the first is the project and the second the instant that counts as now. */
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

  /** What narrows contacts to the project. A condition may have no use for the instant, and Postgres wants to know each parameter's type. */
  within(alias: string): string {
    return `${alias}.project_id = $1::uuid AND $2::timestamptz IS NOT NULL`;
  }
}
