/**
 * Adds header fields and cookies to the requests of the browser. The headers and cookies of the client are sent only to
 * the site of the rendered page. The crawler's signature is sent with each document of the page.
 */
import type { RenderJob } from '@tidemark/browser/job'
import type { SessionCookie } from '@tidemark/contracts/login/session'
import { keepsOrigin } from '@tidemark/http/redirect'
import type { SignRequest } from '@tidemark/http-signatures/web-bot-auth'

/** The client's headers by name in lower case, including `cookie`. */
export type Carried = Readonly<Record<string, string>>

type Cookie = { url: string; name: string; value: string }

/**
 * Returns the parts of a render job. Headers are sent with each request to the page's own origin. Cookies are set in
 * the browser from the start, so that the page's scripts can read and change them. Those of the session come last, so
 * that they replace the client's cookies of the same name.
 * @param sign null: no request is signed
 */
export function carriedTo(
  home: URL,
  { cookie, ...headers }: Carried,
  session: readonly SessionCookie[],
  sign: SignRequest | null,
): Pick<RenderJob, 'headersFor'> & { cookies?: (Cookie | SessionCookie)[] } {
  const cookies = [...(cookie ? cookiesOf(home, cookie) : []), ...session]
  const isAny = sign !== null || Object.keys(headers).length > 0
  const headersFor: RenderJob['headersFor'] = (url, isMain) => ({
    ...(keepsOrigin(home, url) && headers),
    // Documents of `data:` and `blob:` have no host.
    ...(isMain && url.host !== '' && sign?.(url.host)),
  })
  return {
    ...(isAny && { headersFor }),
    ...(cookies.length > 0 && { cookies }),
  }
}

function cookiesOf({ origin }: URL, text: string): Cookie[] {
  return text.split(';').flatMap(pair => {
    const [name = '', ...rest] = pair.trim().split('=')
    return name === '' || rest.length === 0 ? [] : [{ url: `${origin}/`, name, value: rest.join('=') }]
  })
}
