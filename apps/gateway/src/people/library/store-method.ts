export type Row = Record<string, unknown>;

export interface Condition {
  field: string;
  value: unknown;
}

export interface Request {
  model: string;
  where?: Condition[];
  data?: Row;
  update?: Row;
}

export type Method = (request: Request) => Promise<unknown>;
