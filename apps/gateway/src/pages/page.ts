import type { HttpRequest } from '../wire/fastify.js';
import type { SessionUser } from '../identity/credential.js';
import type { Html } from './html.js';

/** A request for a page; values contain no NUL, and each name has one value. */
export interface Visit {
  request: HttpRequest;
  query: Readonly<Record<string, string>>;
  form: Readonly<Record<string, string>>;
  person: SessionUser | null;
  /** A path of this site to continue to. */
  next: string | null;
}

export interface Shown {
  title: string;
  body: Html;
  status?: number;
  cookies?: readonly string[];
  headers?: Readonly<Record<string, string>>;
  language?: string;
  /** Whose page it is, where that is not ours; null shows nobody. */
  brand?: string | null;
  /** Client-side redirect target; an HTTP redirect would be restricted by the form's policy (CSP Level 3, `form-action`). */
  leadsTo?: string;
}

/** What a route answers to a browser instead of JSON. */
export class HtmlPage {
  constructor(readonly shown: Shown) {}
}

export interface SentOn {
  location: string;
  cookies?: readonly string[];
}

/** GET changes nothing; the form posts to the page's own path. */
export interface Page {
  path: string;
  show(visit: Visit): Promise<Shown | SentOn>;
  submit?(visit: Visit): Promise<Shown | SentOn>;
}
