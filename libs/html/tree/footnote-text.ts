/** Footnotes whose text is within the sentence, as LaTeXML and Tufte CSS write them. Style sheets move them away. */
import { Element, type ParentNode } from 'domhandler'
import { hasWord } from './attribute.ts'

/** Returns whether an element has the text of a footnote, which belongs in parentheses. */
export function isFootnoteText(element: Element): boolean {
  const { class: names } = element.attribs
  if (names === undefined || !names.includes('note')) return false
  if (element.name === 'span' && besideText.test(names)) return true
  return names.includes('ltx_note_content') && isFootnote(element.parent?.parent)
}

/** Classes of Tufte CSS. */
const besideText = /(?:^|\s)(?:sidenote|marginnote)(?=\s|$)/

/** Returns whether an element is the number of such a footnote. */
export function isFootnoteNumber({ attribs: { class: names }, parent }: Element): boolean {
  if (names === undefined || !names.includes('ltx_') || !numbered.test(names)) return false
  return isFootnote(parent) || (parent instanceof Element && isFootnoteText(parent))
}

const numbered = /(?:^|\s)ltx_(?:note_mark|tag_note)(?=\s|$)/

const isFootnote = (node: ParentNode | null | undefined): boolean =>
  node instanceof Element && hasWord(node, 'class', 'ltx_role_footnote')
