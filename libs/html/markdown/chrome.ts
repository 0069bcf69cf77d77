/**
 * Recognizes the frame around the content of a page: menus, headers and footers of the site, banners, share bars.
 * Elements and roles identify it directly. Classes and ids count only with words that are rarely used for content.
 */
import { Element } from 'domhandler'
import { attribute, wordsOf } from '../tree/attribute.ts'

const names = new Set(['nav', 'aside', 'footer', 'header', 'dialog', 'menu'])
const roles = new Set(
  'navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar'.split(' '),
)
const words = new Set(
  (
    'nav navbar navigation menu submenu sidebar breadcrumb breadcrumbs footer masthead topbar colophon ' +
    'cookie cookies consent gdpr share sharing sharedaddy social addtoany newsletter subscribe advert adverts ads ' +
    'advertisement sponsored promo skiplink pagination pager related recommended recommendations popup modal ' +
    'offcanvas toolbar sphinxsidebar headerlink editsection navbox catlinks printfooter noprint'
  ).split(' '),
)
/**
 * Words that make a name chrome in combination with a chrome word: `site-header`, `cookie-notice`, `left-sidebar`.
 */
const neutralParts = new Set(
  (
    'site page main global top bottom left right primary secondary mobile desktop header footer content post ' +
    'article entry blog wp js c o u l widget widgets area bar box banner notice buttons button links link list ' +
    'icons icon items item wrapper wrap container inner outer block section group panel skip to posts signup form media'
  ).split(' '),
)
const phrases = new Set(
  'site-header page-header-nav global-header main-header top-header skip-link skip-to-content wikipedia-edit'.split(
    ' ',
  ),
)
/** Words of asides that belong to the text. */
const notes = new Set(
  (
    'admonition note tip hint important caution warning danger info callout footnote footnotes sidenote ' +
    'pullquote example definition alert'
  ).split(' '),
)
const kept = new Set(['html', 'body', 'main', 'article', 'h1', 'p', 'pre', 'code', 'table', 'a', 'span'])

/** Returns whether an element is part of the frame by its own name and attributes. */
export function isChrome(element: Element): boolean {
  const { name, attribs } = element
  if (attribs.role !== undefined && roles.has(attribs.role.toLowerCase())) return true
  if (names.has(name)) return isChromeByName(element)
  if (kept.has(name) || attribs.role === 'main') return false
  return isNamedLikeChrome(element, 'id') || isNamedLikeChrome(element, 'class')
}

function isChromeByName(element: Element): boolean {
  if (element.name === 'aside')
    return !wordsOf(element, 'class').some(word => word.split(/[-_]+/).some(part => notes.has(part)))
  if (element.name !== 'header' && element.name !== 'footer') return true
  return !isWithin(element, element.name === 'header' ? sections : quotes)
}

/**
 * Headers and footers in these elements are content, for example the header of an article or the footer of a quote.
 */
const sections = new Set(['article', 'main', 'section', 'blockquote', 'figure', 'li'])
const quotes = new Set(['blockquote', 'figure'])

function isWithin(element: Element, names: ReadonlySet<string>): boolean {
  for (let node = element.parent; node instanceof Element; node = node.parent)
    if (names.has(node.name)) return true
  return false
}

/** Returns whether an attribute has a word with only known parts, of which one is chrome. */
function isNamedLikeChrome(element: Element, name: string): boolean {
  if (attribute(element, name) === null) return false
  return wordsOf(element, name)
    .slice(0, 32)
    .some(word => {
      if (phrases.has(word)) return true
      const parts = word.split(/[-_]+/).filter(Boolean)
      return (
        parts.some(part => words.has(part)) && parts.every(part => words.has(part) || neutralParts.has(part))
      )
    })
}
