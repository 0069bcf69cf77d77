/** Where a client's own headers and cookies may go: they were given for the seed's site, and for nobody else. */
import { siteOf } from '@tidemark/url/site'

/**
 * Whether an origin is of the seed's site: the same registrable domain and port, and not in the clear where the seed
 * is encrypted. The seed's redirect may move the run to another site; what was given for the first does not follow.
 */
export function isHome(seed: string, origin: string): boolean {
  const [from, to] = [URL.parse(seed), URL.parse(origin)]
  if (from === null || to === null || (from.protocol === 'https:' && to.protocol === 'http:')) return false
  return from.port === to.port && siteOf(hostOf(from)) === siteOf(hostOf(to))
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/\.$/, '')
