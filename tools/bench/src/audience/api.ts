import type { Asked } from '../load.js';

/** The front door, for one project. */
export class Api {
  constructor(
    readonly url: string,
    readonly projectId: string,
    private readonly token: string,
  ) {}

  get<T>(path: string): Promise<T> {
    return this.ask({ method: 'GET', path, headers: this.headers });
  }

  delete<T>(path: string): Promise<T> {
    return this.ask({ method: 'DELETE', path, headers: this.headers });
  }

  post<T>(path: string, body: object): Promise<T> {
    return this.ask(this.posting(path, body));
  }

  posting(path: string, body: object): Asked {
    return { method: 'POST', path, headers: { ...this.headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
  }

  async ask<T>({ method, path, headers, body }: Omit<Asked, 'method'> & { method: string }): Promise<T> {
    const answer = await fetch(`${this.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
    const said = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${said}`);
    return (said === '' ? null : JSON.parse(said)) as T;
  }

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` };
  }
}
