/**
 * Paths by their patterns, strictly: a path that says anything but names of segments is taken by none, and what it
 * says stands percent-encoded in the path that is fetched, so that no name is ever read as part of an address.
 */

const longestSegment = 255

/** A segment of a pattern: what it begins with, and the name of the rest; with dots behind, of all that follow. */
const part = /^([^{}]*)(?:\{(\w+)(\.\.\.)?\})?$/

/**
 * The parts of the path by name, or null when the pattern does not take it.
 * @param path without its first slash, not percent-encoded
 */
export function matchPath(
  pattern: string,
  names: Record<string, RegExp>,
  path: string,
): Record<string, string> | null {
  const segments = path.split('/')
  const parts = pattern.split('/')
  if (!segments.every(isSegment)) return null
  const found: Record<string, string> = {}
  for (const [index, text] of parts.entries()) {
    const [, begins = '', name, rest] = part.exec(text) ?? []
    const segment = rest === undefined ? segments[index] : segments.slice(index).join('/')
    if (!segment?.startsWith(begins)) return null
    const value = segment.slice(begins.length)
    if (name === undefined ? value !== '' : !names[name]?.test(value)) return null
    if (name !== undefined) found[name] = value
    if (rest !== undefined) return found
  }
  return segments.length === parts.length ? found : null
}

/**
 * The address of what a path stands for, or null for one that would not stay below the origin: names are checked
 * before, so that is a fault in the template.
 */
export function fillPath(origin: string, template: string, values: Record<string, string>): URL | null {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encoded(values[name] ?? ''))
  const url = URL.parse(path, origin)
  return url !== null && url.href === origin + path ? url : null
}

const encoded = (value: string): string => value.split('/').map(encodeURIComponent).join('/')

function isSegment(text: string): boolean {
  if (text === '' || text === '.' || text === '..' || text.length > longestSegment) return false
  return text.isWellFormed() && !notInSegments.test(text)
}

/** Control characters, what some servers take for a slash, and what is encoded already: it might be decoded twice. */
const notInSegments = /[\p{Cc}\\]|%[\da-f]{2}/iu
