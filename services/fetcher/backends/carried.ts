/** Adds a client's headers and cookies to those of the browser, for the site of the rendered page only. */
import type { SessionCookie } from '@tidemark/contracts/login/session'
import { keepsOrigin } from '@tidemark/http/redirect'

/** The client's headers by name in lower case, including `cookie`. */
export type Carried = Readonly<Record<string, string>>

type Cookie = { url: string; name: string; value: string }

/**
 * Returns the parts of a render job. Headers are sent with each request to the page's own origin. Cookies are set in
 * the browser from the start, so that the page's scripts can read and change them. Those of the session come last, so
 * that they replace the client's cookies of the same name.
 */
export function carriedTo(
  home: URL,
  { cookie, ...headers }: Carried,
  session: readonly SessionCookie[] = [],
): { headersFor?: (url: URL) => Record<string, string>; cookies?: (Cookie | SessionCookie)[] } {
  const cookies = [...(cookie ? cookiesOf(home, cookie) : []), ...session]
  const isAny = Object.keys(headers).length > 0
  return {
    ...(isAny && { headersFor: url => (keepsOrigin(home, url) ? headers : {}) }),
    ...(cookies.length > 0 && { cookies }),
  }
}

function cookiesOf({ origin }: URL, text: string): Cookie[] {
  return text.split(';').flatMap(pair => {
    const [name = '', ...rest] = pair.trim().split('=')
    return name === '' || rest.length === 0 ? [] : [{ url: `${origin}/`, name, value: rest.join('=') }]
  })
}
