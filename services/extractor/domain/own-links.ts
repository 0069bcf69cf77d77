/** Links of a document without a URL: they are resolved against a reserved base, which is removed from the result. */

const origin = 'http://document.invalid'
const folders = ['~8', '~7', '~6', '~5', '~4', '~3', '~2', '~1']

/** The reserved base URL. */
export const nowhere = `${origin}/${folders.join('/')}/`

/** Removes the reserved base from a URL. Other URLs are unchanged. */
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

/** Restores all URLs in attributes of HTML that was written with the reserved base. */
export const withOwnLinks = (html: string): string =>
  html.replace(/(?<=")http:\/\/document\.invalid\/[^"\s]*/g, ownLink)
