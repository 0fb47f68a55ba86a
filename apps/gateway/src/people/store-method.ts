export type Row = Record<string, unknown>;

export interface Condition {
  field: string;
  value: unknown;
}

/** What the library asks of its store, whichever method. */
export interface Ask {
  model: string;
  where?: Condition[];
  data?: Row;
  update?: Row;
}

export type Method = (ask: Ask) => Promise<unknown>;
