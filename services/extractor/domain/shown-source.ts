/** The source of a page without invisible parts: scripts, styles, comments and fallbacks for scripts. */

const invisible = ['script', 'style', 'template', 'noscript', 'svg', 'textarea', 'title']

/**
 * Returns the visible source. It takes linear time, because an unclosed element extends to the end.
 * @param kept names of elements to keep
 */
export function shownSource(source: string, kept: readonly string[] = []): string {
  const lower = source.toLowerCase()
  const names = invisible.filter(name => !kept.includes(name))
  const opening = new RegExp(`<!--|<(${names.join('|')})(?=[\\s/>])`, 'g')
  let shown = ''
  let from = 0
  for (let found = opening.exec(lower); found !== null; found = opening.exec(lower)) {
    const end = endOf(lower, found)
    shown += source.slice(from, found.index)
    from = end
    opening.lastIndex = end
  }
  return shown + source.slice(from)
}

function endOf(lower: string, { 1: name, index }: RegExpExecArray): number {
  const close = name === undefined ? '-->' : `</${name}`
  const at = lower.indexOf(close, index + (name?.length ?? 2))
  if (at === -1) return lower.length
  if (name === undefined) return at + close.length
  const end = lower.indexOf('>', at)
  return end === -1 ? lower.length : end + 1
}
