/** Separates the words of elements that touch each other in a line, as in `<span>By Ada</span><span>3 May</span>`. */
import type { Element } from 'domhandler'
import { walk } from '../../tree/walk.ts'
import { collapsed } from '../collapsed.ts'
import { unread } from '../element-kinds.ts'
import type { Outline } from '../outline.ts'

const touches = ({ prev }: Element): boolean => prev?.type === 'tag'

/** Returns the text of a block with spaces where only the style of the page separates elements. */
export function apart({ elements, ends, blocks, firstBlock, lastBlock }: Outline, at: number): string {
  const { element: position, text } = blocks[at] ?? { element: -1, text: '' }
  const element = elements[position]
  if (element === undefined || (lastBlock[position] ?? 0) - (firstBlock[position] ?? 0) !== 1) return text
  if (!elements.slice(position + 1, ends[position]).some(touches)) return text
  const shown = new Set(elements.slice(position + 1, ends[position]))
  let spaced = ''
  walk(element, {
    enter: inner => {
      if (touches(inner)) spaced += ' '
      return shown.has(inner) && !unread.has(inner.name)
    },
    text: ({ data }) => {
      spaced += data
    },
  })
  return collapsed(spaced).trim()
}
