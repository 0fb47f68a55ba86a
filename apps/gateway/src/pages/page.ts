import type { HttpRequest } from '../edge/http/fastify.js';
import type { SessionUser } from '../identity/credential.js';
import type { Html } from './html.js';

/** A request for a page: what it bears is text without NUL, one value a name. */
export interface Visit {
  request: HttpRequest;
  query: Readonly<Record<string, string>>;
  /** What was filled in; empty where the page is only looked at. */
  form: Readonly<Record<string, string>>;
  /** Who is signed in. */
  person: SessionUser | null;
  /** Where the person was going; a path of ours. */
  next: string | null;
}

export interface Shown {
  title: string;
  body: Html;
  /** 200 unless said otherwise. */
  status?: number;
  cookies?: readonly string[];
  /** In place of those that every page has. */
  headers?: Readonly<Record<string, string>>;
  /** English unless said otherwise. */
  language?: string;
  /** Where the browser goes from here by itself; a redirect would fall under the form's own policy (CSP Level 3, `form-action`). */
  leadsTo?: string;
}

export interface SentOn {
  location: string;
  cookies?: readonly string[];
}

/** A server-rendered page: looking at it changes nothing, its form posts to its own path. */
export interface Page {
  path: string;
  show(visit: Visit): Promise<Shown | SentOn>;
  submit?(visit: Visit): Promise<Shown | SentOn>;
}
