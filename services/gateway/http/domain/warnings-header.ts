/** Encodes warnings as a header value, for answers whose body cannot hold them. */

/** Clients reject answers whose header fields exceed 16 KiB in total. */
const maxCharacters = 4_000

/** Returns a JSON array in ASCII. Its last entry counts the warnings that do not fit. */
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
