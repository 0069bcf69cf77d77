/** Where `<meta http-equiv=refresh>` leads: the shared declarative refresh steps of the WHATWG HTML standard. */

/** The address in a refresh's content as it stands there; null when there is none, for that only reloads. */
export function refreshTarget(content: string): string | null {
  const time = /^[\t\n\f\r ]*(?:\d+|(?=\.))[\d.]*/.exec(content)
  if (time === null) return null
  const rest = content.slice(time[0].length)
  const separator = /^[\t\n\f\r ]*[;,][\t\n\f\r ]*|^[\t\n\f\r ]+/.exec(rest)
  if (separator === null) return null
  const address = rest.slice(separator[0].length).replace(/^url[\t\n\f\r ]*=[\t\n\f\r ]*/i, '')
  return unquoted(address).trim() || null
}

/** A quote at the start ends at its like, or not at all. */
function unquoted(address: string): string {
  const quote = address.charAt(0)
  if (quote !== '"' && quote !== "'") return address
  const end = address.indexOf(quote, 1)
  return address.slice(1, end === -1 ? address.length : end)
}
