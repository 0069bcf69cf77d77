/**
 * Reads JSON-LD. A block that is broken, too long or too deep is left out; what is kept is harmless data:
 * no `__proto__`, and only text that every store accepts.
 */

/** Characters of all blocks of a page together. */
const longestTotal = 512 * 1024
const deepest = 64

export class StructuredData {
  readonly found: object[] = []
  #left = longestTotal
  #reads = false

  /** A script begins; only JSON-LD is read. */
  begin(type: string | null): void {
    this.#reads = type !== null && /^\s*application\/ld\+json\s*(?:;|$)/i.test(type.slice(0, 100))
  }

  /** The text of the script; an array stands for its members. */
  add(text: string): void {
    if (!this.#reads || text.length > this.#left) return
    this.#left -= text.length
    const value = parse(text)
    for (const item of Array.isArray(value) ? value : [value]) {
      if (typeof item === 'object' && item !== null && !Array.isArray(item) && cleaned(item, 1))
        this.found.push(item)
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Cleans a parsed object or array in place; false when it is too deep. */
function cleaned(container: object, depth: number): boolean {
  if (depth > deepest) return false
  const entries = container as Record<string, unknown>
  for (const [name, value] of Object.entries(entries)) {
    if (name === '__proto__') delete entries[name]
    else if (typeof value === 'string') entries[name] = storable(value)
    else if (typeof value === 'object' && value !== null && !cleaned(value, depth + 1)) return false
  }
  return true
}

/** Databases refuse NUL and half surrogate pairs. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')
