/**
 * The links of a site like a shop or a handbook: each page links to the same few pages of the navigation, to others of
 * its own section, and to a few random ones.
 */
import { random } from './random.ts'

const navigation = 12
const randomLinks = 4
const inSection = 500

/** Returns the URLs in order. A page is identified by its index. */
export const urlsOf = (pages: number): string[] =>
  Array.from(
    { length: pages },
    (_, page) =>
      `https://site.example/section-${String(Math.floor(page / inSection)).padStart(4, '0')}/page-${String(page).padStart(7, '0')}`,
  )

/** Returns the targets of all links, `links` for each page in order. The result is always the same. */
export function targetsOf(pages: number, links: number): Int32Array {
  const targets = new Int32Array(pages * links)
  const next = random(7)
  for (let at = 0; at < targets.length; at++) {
    const [page, link] = [Math.floor(at / links), at % links]
    const section = page - (page % inSection)
    if (link < navigation) targets[at] = link * inSection
    else if (link < links - randomLinks) targets[at] = section + next(Math.min(inSection, pages - section))
    else targets[at] = next(pages)
  }
  return targets
}

/** Returns the anchor text of links to a page. Five pages share one text. */
export const textOf = (page: number): string => `Contents of page ${Math.floor(page / 5)}`
