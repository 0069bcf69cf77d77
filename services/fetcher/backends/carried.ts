/** Headers and cookies that a rendered page adds to those of the browser, for its own site only. */
import { staysAtHome } from '@tidemark/http/redirect'

/** Headers by name in lower case, `cookie` among them. */
export type Carried = Readonly<Record<string, string>>

type Cookie = { url: string; name: string; value: string }

/**
 * Headers go with each request of the page to its own origin. Cookies are set in the browser from the start, so that
 * the page's scripts can read and change them.
 */
export function carriedTo(
  home: URL,
  { cookie, ...headers }: Carried,
): { headersFor?: (url: URL) => Record<string, string>; cookies?: Cookie[] } {
  const isAny = Object.keys(headers).length > 0
  return {
    ...(isAny && { headersFor: url => (staysAtHome(home, url) ? headers : {}) }),
    ...(cookie && { cookies: cookiesOf(home, cookie) }),
  }
}

function cookiesOf({ origin }: URL, text: string): Cookie[] {
  return text.split(';').flatMap(pair => {
    const [name = '', ...rest] = pair.trim().split('=')
    return name === '' || rest.length === 0 ? [] : [{ url: `${origin}/`, name, value: rest.join('=') }]
  })
}
