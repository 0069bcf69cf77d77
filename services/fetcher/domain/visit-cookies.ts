/**
 * Keeps the cookies of one visit: the redirects to a page. Cookies that a host sets are sent back to it on the next
 * hop, as browsers do, and dropped when the visit ends. A cookie is sent only to the exact host that set it.
 */

export type VisitCookies = {
  /**
   * Stores the `Set-Cookie` fields of a response. Returns whether that changed the cookies for the host.
   * @param now milliseconds since 1970
   */
  take(from: URL, fields: readonly string[], now: number): boolean
  /** Returns the `Cookie` field for this URL; empty without cookies. */
  shown(to: URL): string
}

const maxCookies = 50
const maxBytes = 8_192

export function createVisitCookies(): VisitCookies {
  const kept = new Map<string, { host: string; isSecure: boolean; name: string; value: string }>()

  const shown = ({ hostname, protocol }: URL): string =>
    [...kept.values()]
      .filter(({ host, isSecure }) => host === hostname && (!isSecure || protocol === 'https:'))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')

  return {
    shown,
    take(from, fields, now) {
      const before = shown(from)
      for (const field of fields) {
        const [pair = '', ...attributes] = field.split(';')
        const [, name = '', value = ''] = /^\s*([^=\s]+)=([^\r\n]*)$/.exec(pair) ?? []
        if (name === '' || pair.length > maxBytes) continue
        const key = `${from.hostname} ${name}`
        if (isExpired(attributes, now)) kept.delete(key)
        else if (kept.has(key) || kept.size < maxCookies)
          kept.set(key, {
            host: from.hostname,
            isSecure: attributes.some(isSecure),
            name,
            value: value.trim(),
          })
      }
      return shown(from) !== before
    },
  }
}

const isSecure = (attribute: string): boolean => /^\s*secure\s*$/i.test(attribute)

/** Returns whether the attributes expire the cookie. A valid Max-Age overrides Expires (RFC 6265, 5.3). */
function isExpired(attributes: readonly string[], now: number): boolean {
  const maxAge = valuesOf(attributes, /^\s*max-age=\s*(-?\d+)\s*$/i).at(-1)
  if (maxAge !== undefined) return Number(maxAge) <= 0
  const times = valuesOf(attributes, /^\s*expires=(.*)$/i).map(date => Date.parse(date))
  const expires = times.findLast(time => !Number.isNaN(time))
  return expires !== undefined && expires <= now
}

const valuesOf = (attributes: readonly string[], pattern: RegExp): string[] =>
  attributes.flatMap(attribute => pattern.exec(attribute)?.[1] ?? [])
