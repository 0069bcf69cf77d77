/** The named `<meta>` of a page. */
import type { Document } from 'domhandler'
import { ownText } from '../own-text.ts'
import { walk } from '../tree/walk.ts'

const mostMetas = 500
const longestName = 100
const longestContent = 2000

/** Names in lower case with their contents, in the order of the page; what stands in `template` is none of it. */
export function metasOf(document: Document): [name: string, content: string][] {
  const metas: [string, string][] = []
  walk(document, {
    enter: ({ name, attribs }) => {
      const isNamed = name === 'meta' && attribs.name !== undefined && attribs.content !== undefined
      if (isNamed && metas.length < mostMetas)
        metas.push([
          ownText(attribs.name ?? '', longestName).toLowerCase(),
          ownText(attribs.content ?? '', longestContent),
        ])
      return name !== 'template'
    },
  })
  return metas
}
