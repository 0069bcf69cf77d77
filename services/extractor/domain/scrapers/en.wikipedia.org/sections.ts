/** The sections of an article: the text of paragraphs and lists, without infoboxes and other side content. */
import { walk } from '@tidemark/html/tree/walk'
import type { Element } from 'domhandler'
import { maxCharacters, maxItems, shown } from '../bounds.ts'
import { elementIn, isVisible, lineOf, type Test, withClass, withName } from '../elements.ts'

type Section = { level: number; title: string; text: string }

const headings = ['h2', 'h3', 'h4', 'h5', 'h6']
const isText = withName('p', 'ul', 'ol', 'dl', 'blockquote', 'pre')
const asides = [
  withName('table', 'figure', 'style', 'nav', 'aside'),
  ...'infobox navbox toc hatnote reflist thumb metadata mw-editsection'.split(' ').map(withClass),
]
const isAside: Test = element => asides.some(test => test(element))
const isMark: Test = element => withClass('reference')(element) || withClass('mw-editsection')(element)

/** `lead`: the text before the first heading, or null if empty. */
export function sectionsOf(article: Element): { lead: string | null; sections: Section[] } {
  const lead: Section = { level: 1, title: '', text: '' }
  const sections: Section[] = []
  walk(article, {
    enter: element => {
      if (sections.length === maxItems || !isVisible(element) || isAside(element)) return false
      const level = headings.indexOf(element.name) + 2
      if (level > 1) {
        const title = lineOf(elementIn(element, withClass('mw-headline')) ?? element, isMark)
        if (title !== null) sections.push({ level, title, text: '' })
      } else if (isText(element)) add(sections.at(-1) ?? lead, lineOf(element, isMark))
      else return true
      return false
    },
  })
  return { lead: shown(lead.text), sections }
}

function add(section: Section, line: string | null): void {
  if (line === null || section.text.length >= maxCharacters) return
  const text = section.text === '' ? line : `${section.text}\n${line}`
  section.text = shown(text) ?? ''
}
