/** Whether a page has the places that fragments of its address name (WHATWG HTML, 7.4.6.4). */
import { attribute } from '@tidemark/html/tree/attribute'
import { walk } from '@tidemark/html/tree/walk'
import { isScriptShell } from '../script-shell.ts'
import type { SeenPage } from './seen-page.ts'

export type Places = { found: string[]; missing: string[] }

/**
 * @param names fragments as they stand in addresses
 * @param isWhole whether the page was read to its end
 * @returns in neither list where nobody can say: of what is no HTML, of a page that was cut, or that scripts make
 */
export function placesIn({ page, html }: SeenPage, names: readonly string[], isWhole: boolean): Places {
  if (html === null || names.length === 0) return { found: [], missing: [] }
  const there = new Set<string>()
  walk(html.tree, {
    enter: element => {
      const id = attribute(element, 'id')
      if (id !== null) there.add(id)
      const name = element.name === 'a' ? attribute(element, 'name') : null
      if (name !== null) there.add(name)
      return true
    },
  })
  const found = names.filter(name => spellings(name).some(spelling => there.has(spelling)))
  const body = Buffer.from(page.body.buffer, page.body.byteOffset, page.body.byteLength)
  const isMade = !isScriptShell({ body, words: html.facts.text.words })
  const isKnown = isWhole && isMade
  return { found, missing: isKnown ? names.filter(name => !found.includes(name)) : [] }
}

/** Sites that show the pages of others put a name of their own before each place, and let scripts find it. */
const foreign = 'user-content-'

function spellings(name: string): string[] {
  const plain = decoded(name)
  return [name, plain, foreign + name, foreign + plain]
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
