/** Whether a page has the anchors that fragments of its URL name (WHATWG HTML, 7.4.6.4). */

import { attribute } from '@tidemark/html/tree/attribute'
import { walk } from '@tidemark/html/tree/walk'
import { decodedWord } from '@tidemark/url/escapes'
import { bufferOf } from '../buffer-of.ts'
import { isScriptShell } from '../script-shell.ts'
import type { SeenPage } from './seen-page.ts'

export type FragmentAnchors = { found: string[]; missing: string[] }

/**
 * @param names fragments as written in URLs
 * @param isWhole whether the page was read to its end
 * @returns a name that is not found is in neither list if its anchor may exist: in content other than HTML, beyond the
 * end of a truncated page, or after the scripts of an application have run
 */
export function fragmentAnchorsIn(
  { page, html }: SeenPage,
  names: readonly string[],
  isWhole: boolean,
): FragmentAnchors {
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
  const found = names.filter(name => idsOf(name).some(id => there.has(id)))
  const body = bufferOf(page.body)
  const isKnown = isWhole && !isScriptShell({ body, words: html.facts.text.words })
  return { found, missing: isKnown ? names.filter(name => !found.includes(name)) : [] }
}

/** Sites that show documents of others prefix each anchor, and let scripts find it. */
const foreign = 'user-content-'

/** Returns the ids that an element may have to be the target of a fragment. */
export function idsOf(fragment: string): string[] {
  const decoded = decodedWord(fragment)
  return [fragment, decoded, foreign + fragment, foreign + decoded]
}
