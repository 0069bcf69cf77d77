/** Warnings as the value of a header field, for answers whose body has no room for them. */

/** Clients refuse answers whose header fields are larger than 16 KiB together. */
const maxCharacters = 4_000

/** A JSON array in ASCII; what does not fit is counted in its last entry. */
export function warningsHeader(warnings: readonly string[]): string {
  const entries: string[] = []
  let left = maxCharacters
  for (const warning of warnings) {
    const entry = ascii(JSON.stringify(warning))
    left -= entry.length + 1
    if (left < 0) break
    entries.push(entry)
  }
  const more = warnings.length - entries.length
  return `[${[...entries, ...(more > 0 ? [`"${more} more warnings"`] : [])].join(',')}]`
}

const ascii = (json: string): string =>
  json.replace(/[^ -~]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
