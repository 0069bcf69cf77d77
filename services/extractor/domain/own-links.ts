/** Links of a document without a URL: they are resolved against a reserved base, which is removed from the result. */

const origin = 'http://document.invalid'
const folders = ['~8', '~7', '~6', '~5', '~4', '~3', '~2', '~1']

/** The reserved base URL. */
export const nowhere = `${origin}/${folders.join('/')}/`

/** Removes the reserved base from a URL. Other URLs are unchanged. */
export function ownLink(address: string): string {
  if (!address.startsWith(`${origin}/`)) return address
  const path = address.slice(origin.length)
  const names = path.split('/').slice(1)
  const other = names.findIndex((name, at) => name !== folders[at])
  const depth = other === -1 ? names.length : other
  return depth === 0 ? path : '../'.repeat(folders.length - depth) + names.slice(depth).join('/')
}

/** Restores all URLs in attributes of HTML that was written with the reserved base. */
export const withOwnLinks = (html: string): string =>
  html.replace(/(?<=")http:\/\/document\.invalid\/[^"\s]*/g, ownLink)
