import { createHmac, timingSafeEqual } from 'node:crypto';

/** The library's cookie name on http and, with `useSecureCookies` off, on https (docs/api-decisions.md §2). */
export const sessionCookieName = 'better-auth.session_token';
const maxCookies = 8 * 1024;

export const hasSessionCookie = (cookieHeaders: readonly string[]): boolean =>
  cookieHeaders.some((text) => text.includes(`${sessionCookieName}=`));

/** Null unless there is exactly one session cookie with a valid signature. */
export function sessionTokenOf(cookieHeaders: readonly string[], secret: string): string | null {
  const text = cookieHeaders.join('; ');
  if (text.length > maxCookies) return null;
  const values = text.split(';').flatMap((pair) => {
    const [name, ...value] = pair.split('=');
    return name?.trim() === sessionCookieName ? [value.join('=').trim()] : [];
  });
  return values.length === 1 ? verified(values[0]!, secret) : null;
}

function verified(value: string, secret: string): string | null {
  const signed = decoded(value);
  const dot = signed.lastIndexOf('.');
  if (dot < 1) return null;
  const token = signed.slice(0, dot);
  const wanted = createHmac('sha256', secret).update(token).digest('base64');
  const given = Buffer.from(signed.slice(dot + 1));
  return given.length === wanted.length && timingSafeEqual(given, Buffer.from(wanted)) ? token : null;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch (error) {
    // Cookies of other sites may contain anything.
    if (error instanceof URIError) return '';
    throw error;
  }
}
