/**
 * The cookies of one visit: what a host sets on the way is shown to it again on the next hop, as any browser does, and
 * forgotten when the visit ends. A cookie stays at the very host that set it.
 */

export type VisitCookies = {
  /**
   * Takes `Set-Cookie` fields of an answer from there; whether that changed what it will be shown.
   * @param now milliseconds since 1970
   */
  take(from: URL, fields: readonly string[], now: number): boolean
  /** The `Cookie` field for there; empty where there is none. */
  shown(to: URL): string
}

const mostCookies = 50
const mostBytes = 8_192

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
        if (name === '' || pair.length > mostBytes) continue
        const key = `${from.hostname} ${name}`
        if (attributes.some(attribute => isEnd(attribute, now))) kept.delete(key)
        else if (kept.has(key) || kept.size < mostCookies)
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

/** The cookie is to be forgotten. */
function isEnd(attribute: string, now: number): boolean {
  const [, name = '', value = ''] = /^\s*(max-age|expires)=(.*)$/i.exec(attribute) ?? []
  if (name.toLowerCase() === 'max-age') return Number(value) <= 0
  return name !== '' && Date.parse(value) <= now
}
