/**
 * Links of a document that has no address: what makes them absolute is given a place that nobody has, and its answers
 * are made relative again.
 */

const origin = 'http://document.invalid'
const folders = ['~8', '~7', '~6', '~5', '~4', '~3', '~2', '~1']

/** Where such a document is said to lie. */
export const nowhere = `${origin}/${folders.join('/')}/`

/** The address as the document has it, of one that was made absolute from there; any other as it is. */
export function ownLink(address: string): string {
  if (!address.startsWith(`${origin}/`)) return address
  const path = address.slice(origin.length)
  const names = path.split('/', folders.length + 1).slice(1)
  const inside = names.findIndex((name, at) => name !== folders[at])
  const depth = inside === -1 ? names.length : inside
  if (depth === 0) return path
  const rest = path
    .split('/')
    .slice(depth + 1)
    .join('/')
  return '../'.repeat(folders.length - depth) + rest
}

/** All addresses in attributes of HTML that was written from there. */
export const withOwnLinks = (html: string): string =>
  html.replace(/(?<=")http:\/\/document\.invalid\/[^"\s]*/g, ownLink)
