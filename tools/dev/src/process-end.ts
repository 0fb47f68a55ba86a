/** How a process ended. */
export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export function describeEnd({ code, signal }: ProcessEnd): string {
  return signal ? `ended by ${signal}` : `ended with exit code ${code}`;
}
