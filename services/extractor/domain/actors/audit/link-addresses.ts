/** Faults of link URLs. */
import { idsOf } from '../fragment-anchors.ts'
import type { AuditedPage } from './audited-page.ts'
import { isOwnMachine } from './own-machine.ts'

const misspelled = /^(?:htt?ps?|h?ttt?ps?|hhttps?|httpps?|hptt?s?|hppts?)(?::|\/\/)/i
const webScheme = /^https?(:?)(\/*)(https?:?\/\/)?/i

/** Matches misspelled schemes that browsers take for a path or for an invalid URL. */
export function isMalformed(stated: string, base: string): boolean {
  const href = stated.trim()
  const [whole, colon, slashes = '', again] = webScheme.exec(href) ?? []
  if (whole !== undefined && (colon === ':' ? slashes.length < 2 : slashes.length > 1)) return true
  if (again !== undefined || /^www\.[\w-]+\.[\w.-]+/i.test(href)) return true
  return (whole === undefined && misspelled.test(href)) || URL.parse(href, base) === null
}

/** Returns whether a URL leads to a file, or to a machine that only its author reaches. */
export function isPrivate(href: string): boolean {
  if (/^\s*file:/i.test(href)) return true
  const url = /^\s*https?:\/\//i.test(href) ? URL.parse(href) : null
  return url !== null && isOwnMachine(url)
}

/** Returns whether a link to the same host has campaign parameters. */
export function isTrackedWithin(href: string, { url, base }: AuditedPage): boolean {
  if (!href.includes('utm_')) return false
  const target = URL.parse(href, base)
  return target !== null && target.host === url.host && /[?&]utm_/.test(target.search)
}

/**
 * Returns whether a link leads to an anchor that the page lacks. The top of a page always exists, and fragments that
 * cannot be ids are for scripts.
 */
export function lacksAnchor(href: string, { index: { anchors } }: AuditedPage): boolean {
  if (!href.startsWith('#') || /^#(?:$|top$|[!/]|:~:)/i.test(href) || /[=&/?]/.test(href)) return false
  const [stated = ''] = href.slice(1).split(':~:')
  return !idsOf(stated).some(id => anchors.has(id))
}
