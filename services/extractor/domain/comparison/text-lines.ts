/** The plain text of a page: one line for each visible block. */
import { isHidden } from '@tidemark/html/tree/hidden'
import { isInline } from '@tidemark/html/tree/inline'
import { collapse } from '@tidemark/html/tree/raw-text'
import { walk } from '@tidemark/html/tree/walk'
import type { Document } from 'domhandler'

export function textLines(tree: Document): string {
  const lines: string[] = []
  let line = ''
  const end = () => {
    const text = collapse(line)
    if (text !== '') lines.push(text)
    line = ''
  }
  const part = (name: string) => {
    if (!isInline(name)) end()
  }
  walk(tree, {
    enter: element => {
      if (isHidden(element)) return false
      part(element.name)
      return true
    },
    leave: ({ name }) => part(name),
    text: ({ data }) => {
      line += data
    },
  })
  end()
  return lines.join('\n')
}
