import type { Environment } from '@posthorn/platform';

/** What a job says at its end, and while it works. */
export interface JobOutput {
  print: (text: string) => void;
  complain: (text: string) => void;
}

export interface Job {
  synopsis: string;
  describe: string;
  run: (texts: readonly string[], environment: Environment, output: JobOutput) => Promise<void>;
}
