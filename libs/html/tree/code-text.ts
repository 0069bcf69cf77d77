/** The text of code as browsers lay it out: its white space, its line breaks and its lines in blocks. */
import { Element, type ParentNode } from 'domhandler'
import { wordsOf } from './attribute.ts'
import { isInline } from './inline.ts'
import { walk } from './walk.ts'

const listing =
  /(?:^|\s)(?:fragment|container|crayon-pre|cm-content|CodeMirror-code|ace_text-layer|ltx_lst(?:listing|_[\w-]+)|js-file-line-container)(?:\s|$)/

/**
 * Returns whether an element is a block of code without `pre`, as Doxygen, Crayon, LaTeXML, SyntaxHighlighter, GitHub
 * and the editors CodeMirror and Ace write it. Each block in it is a line. `fragment` and `container` are the names of
 * other elements too.
 */
export function isListing(element: Element): boolean {
  const name = element.attribs.class
  if (name === undefined || !listing.test(name)) return false
  if (element.name === 'table') return name.includes('js-file-line-container')
  if (element.name !== 'div') return false
  const words = wordsOf(element, 'class')
  if (words.includes('container')) return element.parent instanceof Element && isCellOfCode(element.parent)
  if (!words.includes('fragment')) return true
  const first = element.children.find(child => child instanceof Element)
  return first instanceof Element && /^(?:line|foldopen)(?:\s|$)/.test(first.attribs.class ?? '')
}

const isCellOfCode = ({ name, attribs }: Element): boolean => name === 'td' && attribs.class === 'code'

/**
 * Returns the code of an element without empty lines at its start and end. Blocks within it are lines, and tabs
 * separate cells.
 * @param isLeftOut Returns whether an element is left out with its content. It is called once for each other element.
 */
export function codeText(root: ParentNode, isLeftOut: (element: Element) => boolean = never): string {
  let code = ''
  const isOfLines = root instanceof Element && isListing(root)
  /** Cached, because inspecting the end of a growing text copies it. */
  let atStart = true
  const add = (text: string) => {
    code += text
    if (text !== '') atStart = text.endsWith('\n')
  }
  const line = () => {
    if (!atStart) add('\n')
  }
  /** Lengths of the code before the open lines of a listing. */
  const before: number[] = []
  walk(root, {
    enter: element => {
      if (element.name === 'br') add('\n')
      if (isLeftOut(element) || (isOfLines && element.attribs.class === 'ltx_listing_data')) return false
      if (startsLine(element)) {
        line()
        before.push(code.length)
      } else if (isCell(element) && !atStart) add('\t')
      return true
    },
    leave: element => {
      if (!startsLine(element)) return
      line()
      const isEmpty = before.pop() === code.length
      if (isOfLines && isEmpty) add('\n')
    },
    text: ({ data }) => {
      if (!isOfLines || /\S/.test(data) || !data.includes('\n')) add(data)
    },
  })
  return code
    .replace(/\u00a0/g, ' ')
    .replace(/^(?:[\t ]*\n)+/, '')
    .trimEnd()
}

const never = (): boolean => false

const isCell = ({ name }: Element): boolean => name === 'td' || name === 'th'

const startsLine = (element: Element): boolean =>
  !isInline(element.name) && element.name !== 'br' && !isCell(element) && !element.name.includes('-')
