/**
 * Makes parsed JSON of a stranger harmless: no `__proto__`, no name or text that a store would refuse, and no
 * deeper than the stores and our own recursion bear.
 */

/** Containers inside each other; the outermost counts. */
export const deepest = 64

/** Cleans a parsed object or array in place; false when it is deeper than `deepest`. */
export function cleaned(container: object, depth = 1): boolean {
  if (depth > deepest) return false
  const entries = container as Record<string, unknown>
  for (const name of Object.keys(entries)) {
    const value = entries[name]
    const kept = storable(name)
    if (name === '__proto__' || kept !== name) delete entries[name]
    if (name === '__proto__') continue
    if (typeof value === 'string') entries[kept] = storable(value)
    else {
      if (typeof value === 'object' && value !== null && !cleaned(value, depth + 1)) return false
      if (kept !== name) entries[kept] = value
    }
  }
  return true
}

/** The text as databases take it: they refuse NUL and half surrogate pairs. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')
