/** `X-Robots-Tag`: rules for all bots, and for bots that are named before them. */

/** Rules with a value, whose colon does not end a name, also behind a rule without its comma. */
const valued = /\b(?:max-image-preview|max-snippet|max-video-preview|unavailable_after)$/

/** A product token, also with a version or several words. */
const named = /^([\w-]+(?:[./ ]+[\w-]+)*)\s*:\s*(.*)$/
const maxRules = 500

/**
 * Returns the distinct rules in lower case by the bot's name in lower case, `*` for all bots. A name applies up to
 * the end of its header or the next name.
 * @param headers One for each occurrence of the header in the response, or several joined by commas.
 */
export function robotsRules(headers: readonly string[]): Record<string, string[]> {
  const rules = new Map<string, Set<string>>()
  for (const header of headers) {
    let bot = '*'
    for (const part of partsOf(header)) {
      const [, name, rule = ''] = named.exec(part) ?? []
      const isName = name !== undefined && !valued.test(name)
      if (isName) bot = name
      const known = rules.get(bot) ?? new Set()
      const stated = isName ? rule : part
      if (stated !== '') rules.set(bot, known.add(stated))
    }
  }
  return Object.fromEntries([...rules].map(([name, known]) => [name, [...known]]))
}

/**
 * Returns whether a directive is an `unavailable_after` with a valid date in the past.
 * @param now Milliseconds since 1970.
 */
export function hasPassed(rule: string, now: number): boolean {
  const [, day = ''] = /^unavailable_after:\s*(.+)$/s.exec(rule) ?? []
  const time = Date.parse(day)
  return Number.isFinite(time) && time < now
}

/** A rule up to a comma of its date: `Sat, 12 Oct 2030 …` or `Oct 12, 2030 …`. */
const dateStart = /unavailable_after\s*:[^:\d]*(?:\d\d?(?!\d)[^:\d]*)?$/

/** Returns the parts between commas. Commas in a date do not count. */
function partsOf(header: string): string[] {
  const parts: string[] = []
  for (const part of header.toLowerCase().split(',', maxRules)) {
    const text = part.trim()
    const before = parts.at(-1)
    const isDate = /^(?:[a-z]+ )?\d{1,4}\b/.test(text) && before !== undefined && dateStart.test(before)
    if (isDate) parts[parts.length - 1] = `${before}, ${text}`
    else if (text !== '') parts.push(text)
  }
  return parts
}
