export type Row = Record<string, unknown>;

export interface Condition {
  field: string;
  value: unknown;
}

/** What the library asks of its store, whichever method. */
export interface Request {
  model: string;
  where?: Condition[];
  data?: Row;
  update?: Row;
}

export type Method = (request: Request) => Promise<unknown>;
