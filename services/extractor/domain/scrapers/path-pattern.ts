/**
 * Matches paths strictly: only names are accepted as segments, and they are percent-encoded in the fetched path, so
 * that a name cannot change the rest of the URL.
 */

const maxSegmentLength = 255

/** A segment of a pattern: a prefix and the name of the rest; with dots, of all remaining segments. */
const part = /^([^{}]*)(?:\{(\w+)(\.\.\.)?\})?$/

/**
 * Returns the parts of the path by name, or null if the pattern does not match. One slash at the end is ignored, unless
 * the pattern ends with all remaining segments: the title `w/` is not the title `w`.
 * @param path without its first slash, not percent-encoded
 */
export function matchPath(
  pattern: string,
  names: Record<string, RegExp>,
  path: string,
): Record<string, string> | null {
  const segments = (pattern.endsWith('...}') ? path : path.replace(/(?<=[^/])\/$/, '')).split('/')
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
 * Returns the URL of a path, or null if it would leave the origin. Names are validated before, so null is a fault of
 * the template.
 */
export function fillPath(origin: string, template: string, values: Record<string, string>): URL | null {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encoded(values[name] ?? ''))
  const url = URL.parse(path, origin)
  return url !== null && url.href === origin + path ? url : null
}

const encoded = (value: string): string => value.split('/').map(encodeURIComponent).join('/')

function isSegment(text: string): boolean {
  if (text === '' || text === '.' || text === '..' || text.length > maxSegmentLength) return false
  return text.isWellFormed() && !notInSegments.test(text)
}

/**
 * Control characters, characters that some servers treat as slashes, and percent-encodings, which might be decoded
 * twice.
 */
const notInSegments = /[\p{Cc}\\]|%[\da-f]{2}/iu
