/**
 * The links of a site as shops and handbooks have them: each page leads to the same few pages of the navigation, to
 * others of its own section, and to a few anywhere.
 */
import { random } from './random.ts'

const navigation = 12
const elsewhere = 4
const inSection = 500

/** URLs in their order; a page is its place among them. */
export const urlsOf = (pages: number): string[] =>
  Array.from(
    { length: pages },
    (_, page) =>
      `https://site.example/section-${String(Math.floor(page / inSection)).padStart(4, '0')}/page-${String(page).padStart(7, '0')}`,
  )

/** Of each page in turn so many links, the same every time: to which page each leads. */
export function targetsOf(pages: number, links: number): Int32Array {
  const targets = new Int32Array(pages * links)
  const next = random(7)
  for (let at = 0; at < targets.length; at++) {
    const [page, link] = [Math.floor(at / links), at % links]
    const section = page - (page % inSection)
    if (link < navigation) targets[at] = link * inSection
    else if (link < links - elsewhere) targets[at] = section + next(Math.min(inSection, pages - section))
    else targets[at] = next(pages)
  }
  return targets
}

/** By which pages are linked to: five have one text. */
export const textOf = (page: number): string => `What stands on page ${Math.floor(page / 5)}`
