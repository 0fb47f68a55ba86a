import type { Requested } from '../load.js';

/** The front door, for one project. */
export class Api {
  constructor(
    readonly url: string,
    private readonly token: string,
    readonly projectId = '',
  ) {}

  get<T>(path: string): Promise<T> {
    return this.request({ method: 'GET', path, headers: this.headers });
  }

  delete<T>(path: string): Promise<T> {
    return this.request({ method: 'DELETE', path, headers: this.headers });
  }

  post<T>(path: string, body: object): Promise<T> {
    return this.request(this.posting(path, body));
  }

  posting(path: string, body: object): Requested {
    return {
      method: 'POST',
      path,
      headers: { ...this.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
  }

  async request<T>({
    method,
    path,
    headers,
    body,
  }: Omit<Requested, 'method'> & { method: string }): Promise<T> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${text}`);
    return (text === '' ? null : JSON.parse(text)) as T;
  }

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` };
  }
}
