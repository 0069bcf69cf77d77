/**
 * Sanitizes untrusted JSON: it removes `__proto__`, names and texts that stores reject, and limits the depth for
 * stores and recursion.
 */

/** Maximum depth of containers, including the outermost. */
export const maxDepth = 64

/** Cleans a parsed object or array in place. Returns false if it is deeper than `maxDepth`. */
export function clean(container: object, depth = 1): boolean {
  if (depth > maxDepth) return false
  const entries = container as Record<string, unknown>
  for (const name of Object.keys(entries)) {
    const value = entries[name]
    const kept = storable(name)
    if (name === '__proto__' || kept !== name) delete entries[name]
    if (name === '__proto__') continue
    if (typeof value === 'string') entries[kept] = storable(value)
    else {
      if (typeof value === 'object' && value !== null && !clean(value, depth + 1)) return false
      if (kept !== name) entries[kept] = value
    }
  }
  return true
}

/** Returns the text in a form that databases accept: they reject NUL and half surrogate pairs. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')
