/**
 * Reads one line of robots.txt. It accepts the mistakes that large crawlers accept too: a missing colon, a misspelled
 * name.
 */

export type Field = { name: 'agent' | 'allow' | 'disallow' | 'sitemap' | 'delay'; value: string }

const names: ReadonlyMap<string, Field['name']> = new Map([
  ['user-agent', 'agent'],
  ['useragent', 'agent'],
  ['user agent', 'agent'],
  ['allow', 'allow'],
  ['disallow', 'disallow'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['sitemap', 'sitemap'],
  ['site-map', 'sitemap'],
  ['crawl-delay', 'delay'],
  ['crawldelay', 'delay'],
])

/**
 * Returns the name and value of a line, without comment and surrounding white space, or null for an unknown field.
 */
export function fieldOf(line: string): Field | null {
  const comment = line.indexOf('#')
  const text = (comment === -1 ? line : line.slice(0, comment)).trim()
  const colon = text.indexOf(':')
  if (colon === -1) return spacedField(text)
  return field(text.slice(0, colon), text.slice(colon + 1))
}

/** Reads a line without a colon: exactly two words are a name and its value. */
function spacedField(text: string): Field | null {
  const space = text.search(/[ \t]/)
  const value = space === -1 ? '' : text.slice(space).trim()
  return value === '' || /[ \t]/.test(value) ? null : field(text.slice(0, space), value)
}

function field(spelling: string, value: string): Field | null {
  const name = names.get(spelling.trim().toLowerCase())
  return name === undefined ? null : { name, value: value.trim() }
}
