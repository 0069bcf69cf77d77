/** What a rendered page is asked for with besides what a browser sends: for its own site, and for nobody else. */
import { staysAtHome } from '@tidemark/http/redirect'

/** Headers by name in lower case, `cookie` among them. */
export type Carried = Readonly<Record<string, string>>

type Cookie = { url: string; name: string; value: string }

/**
 * Headers go with each request that the page makes of its own origin; cookies are the browser's from the beginning, so
 * that the page's scripts may see and change them.
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
