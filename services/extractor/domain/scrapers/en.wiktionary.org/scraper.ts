/** Words of the English Wiktionary: definitions by language and part of speech. */
import { walk } from '@tidemark/html/tree/walk'
import type { Element } from 'domhandler'
import { maxItems } from '../bounds.ts'
import {
  articleIn,
  elementIn,
  isVisible,
  lineOf,
  type Test,
  treeOf,
  withAttribute,
  withClass,
  withName,
} from '../elements.ts'
import { defineScraper } from '../scraper.ts'

export const scraper = defineScraper({
  domain: 'en.wiktionary.org',
  origin: 'https://en.wiktionary.org',
  routes: [
    {
      path: 'wiki/{word...}',
      fetch: '/wiki/{word}',
      params: {
        language: {
          type: 'text',
          maxLength: 60,
          description: 'only words of this language, such as English',
        },
      },
    },
  ],
  names: { word: /^(?![\s_:]*special[\s_]*:)[^#<>[\]{}|]{1,255}$/i },
  dataShape: {
    word: 'as the page writes it',
    language: 'name of the language, in English',
    part_of_speech: 'such as Noun',
    headword: 'the line above the definitions: forms, gender',
    definitions: 'list of texts, without their examples',
  },
  read({ text, inputs: { language } }) {
    const tree = treeOf(text)
    const word = lineOf(elementIn(tree, withAttribute('id', 'firstHeading')))
    const article = articleIn(tree)
    if (word === null || article === null) return null
    const meanings = meaningsIn(article).map(meaning => ({ word, ...meaning }))
    if (meanings.length === 0) return null
    return meanings.filter(meaning => language === undefined || isSame(meaning.language, String(language)))
  },
})

type Meaning = { language: string; part_of_speech: string; headword: string | null; definitions: string[] }

const isHeading = withName('h2', 'h3', 'h4', 'h5', 'h6')
const isMark: Test = element => withClass('mw-editsection')(element) || withClass('reference')(element)
const isExamples = withName('ul', 'dl')
const isList: Test = element => element.name === 'ol' || isExamples(element)
const isItem: Test = ({ name, parent }) =>
  name === 'li' && parent !== null && 'name' in parent && parent.name === 'ol'
/** Lists below these headings are not definitions. */
const apart = /^(?:etymology|pronunciation|references|further reading|usage notes|anagrams)\b/i

/** Returns the definitions: the first list below a heading. */
function meaningsIn(article: Element): Meaning[] {
  const found: Meaning[] = []
  let [language, heading, headword]: [string | null, string | null, string | null] = [null, null, null]
  walk(article, {
    enter: element => {
      if (isHeading(element)) {
        const title = lineOf(elementIn(element, withClass('mw-headline')) ?? element, isMark)
        if (element.name === 'h2') language = title
        heading = element.name === 'h2' || (title !== null && apart.test(title)) ? null : title
        headword = null
      } else if (element.name === 'p') headword ??= lineOf(element, isMark)
      else if (element.name === 'ol' && language !== null && heading !== null && found.length < maxItems) {
        found.push({ language, part_of_speech: heading, headword, definitions: definitionsIn(element) })
        heading = null
      } else return !isList(element) && element.name !== 'table'
      return false
    },
  })
  return found
}

/** Returns the definitions of a list and of the lists of narrower meanings in it, in the order of the page. */
function definitionsIn(list: Element): string[] {
  const found: string[] = []
  walk(list, {
    enter: element => {
      if (found.length === maxItems || isExamples(element) || !isVisible(element)) return false
      if (isItem(element)) {
        const line = lineOf(element, inner => isList(inner) || isMark(inner))
        if (line !== null) found.push(line)
      }
      return true
    },
  })
  return found
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.trim().toLowerCase()
