/** The role of elements in an article, by tag name, role and microdata: tables. */
import { type ChildNode, Element } from 'domhandler'
import { isShadowRoot } from '../tree/hidden.ts'
import type { BoilerplateKind } from './boilerplate-words.ts'

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '))

/** Elements that are never read: no text of the page, controls, drawings. */
export const unread = names(
  'head title script style noscript template svg iframe object embed applet canvas audio video map link meta base ' +
    'button input select textarea option datalist progress meter frameset frame noframes dialog param source track',
)

/** Elements within which a text continues. Every other element begins and ends a block. */
export const inline = names(
  'a abbr acronym b bdi bdo big button cite code data del dfn em font i ins img amp-img kbd label mark nobr output picture q rb rp ' +
    'rt ruby s samp small span strike strong sub sup time tt u var wbr math mi mo mn ms mtext mrow msub msup mfrac ' +
    'msqrt mroot msubsup mover munder munderover mstyle mpadded mspace semantics annotation slot mjx-container mjx-math ' +
    'mjx-assistive-mml',
)

/**
 * Returns whether a text continues within an element. A custom element is inline by default, but many are boxes of a
 * layout. Only those beside text and without boxes count, with their shadow roots.
 */
export const isInline = (element: Element): boolean =>
  inline.has(element.name) ||
  (element.name.includes('-') && isWordOfText(element)) ||
  (isShadowRoot(element) && element.parent instanceof Element && isInline(element.parent))

const isWordOfText = ({ prev, next, children }: Element): boolean =>
  (isWritten(prev) || isWritten(next)) &&
  children.every(child => child.type !== 'tag' || inline.has(child.name) || unread.has(child.name))

const isWritten = (node: ChildNode | null): boolean => node?.type === 'text' && /\S/.test(node.data)

export const headings = names('h1 h2 h3 h4 h5 h6')

/** Returns whether a page marks an element as its main content. */
export const isMainElement = ({ name, attribs }: Element): boolean =>
  name === 'main' || attribs.role === 'main'

/** Elements whose text is content among content, even if it is short. */
export const textual = names('p li dd dt td th pre blockquote code figcaption summary')

/**
 * Elements whose names are ignored, because they contain a whole page or article, code, the parts of a table, or a
 * formula, which has the class `CtxtMenu_Attached_0` if MathJax gives it a menu.
 */
export const nameless = names('html body main article pre code thead tbody tr mjx-container')

type Kinds = ReadonlyMap<string, BoilerplateKind>

const kinds = (table: Readonly<Record<string, BoilerplateKind>>): Kinds => new Map(Object.entries(table))

export const kindOfTag: Kinds = kinds({
  nav: 'navigation',
  menu: 'navigation',
  footer: 'footer',
  aside: 'sidebar',
  form: 'form',
  fieldset: 'form',
  figcaption: 'caption',
  address: 'author',
  'amp-ad': 'advertising',
  'amp-sticky-ad': 'advertising',
})

/** WAI-ARIA 1.2, roles of landmarks and widgets. */
export const kindOfRole: Kinds = kinds({
  navigation: 'navigation',
  menu: 'navigation',
  menubar: 'navigation',
  tablist: 'navigation',
  banner: 'navigation',
  contentinfo: 'footer',
  complementary: 'sidebar',
  search: 'form',
  dialog: 'overlay',
  alertdialog: 'overlay',
  tooltip: 'overlay',
  toolbar: 'share',
})

/** Properties of schema.org. */
export const kindOfProperty: Kinds = kinds({
  author: 'author',
  publisher: 'meta',
  datePublished: 'meta',
  dateModified: 'meta',
  keywords: 'meta',
  comment: 'comments',
  commentCount: 'comments',
})

/** Class names of asides that belong to the text. */
export const noteClass =
  /(?:^|[\s_-])(?:admonition|note|tip|hint|important|caution|warning|danger|callout|footnotes?|sidenote|example|definition|ingredients)(?=$|[\s_-])|(?:^|\s)topic(?:\s|$)/i
