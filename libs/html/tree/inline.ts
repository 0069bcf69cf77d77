import { type ChildNode, Element } from 'domhandler'

/** The elements within a line of text. */
const inline = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span ' +
    'strike strong sub sup time tt u var wbr ruby rb rt rp rtc img amp-img math svg slot mjx-container mjx-math ' +
    'mjx-assistive-mml'
  ).split(' '),
)

/** Returns whether a word continues across the tags of an element of that name. */
export const isInline = (name: string): boolean => inline.has(name)

/** Returns whether an element is a label after another label, as in tabs. Controls between the two do not count. */
export function followsLabel({ name, prev }: Element): boolean {
  if (name !== 'label') return false
  let node: ChildNode | null = prev
  while (node?.type === 'tag' && node.name === 'input') node = node.prev
  return node?.type === 'tag' && node.name === 'label'
}

/**
 * Returns whether an element names the source of a quote above its text, as phpBB does. Its style ends the line, so that
 * no space separates it from the text.
 */
export function isSourceAbove({ name, parent, prev, next }: Element): boolean {
  if (name !== 'cite' || prev !== null || !(parent instanceof Element)) return false
  if (next?.type !== 'text' || !/^[\p{L}\p{N}]/u.test(next.data)) return false
  const quote = parent.name === 'div' ? parent.parent : parent
  return quote instanceof Element && quote.name === 'blockquote'
}
