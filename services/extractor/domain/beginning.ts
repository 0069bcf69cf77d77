/** The part of a page that is parsed into a tree. */

/** No page for people exceeds these limits, and the tree of a larger one would exceed the memory of the thread. */
const limits = { characters: 3 * 1024 ** 2, tags: 100_000 }

/** Returns the start of a page, up to the maximum characters and tags. */
export function beginningOf(html: string): string {
  let end = html.indexOf('<')
  for (let tags = 0; end !== -1 && end < limits.characters; tags++) {
    if (tags === limits.tags) return html.slice(0, end)
    end = html.indexOf('<', end + 1)
  }
  return html.slice(0, limits.characters)
}
