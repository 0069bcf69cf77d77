/** What the reader has to know and do for each element: tables by name. */
import type { Attributes } from './attributes.ts'
import type { Page } from './page.ts'
import type { ScopeKind } from './scopes.ts'

type Rule = {
  scope?: ScopeKind
  /** The attributes it asks for, at most 8. */
  attributes?: readonly string[]
  open?: (page: Page, attributes: Attributes) => void
  close?: (page: Page) => void
  /** Takes what stands up to the end tag; it is not text of the page. */
  text?: (page: Page, text: string) => void
  /** Whether it counts inside `<noscript>` too. */
  unscripted?: true
}

export type Element = Rule & {
  /** In lower case; empty for an element that means nothing here. */
  name: string
  /** Whether a word goes on across its tags. */
  inline: boolean
  /** Whether it cannot stand inside SVG or MathML. */
  breaksOut: boolean
}

const ignored = (): void => {}
const closeHeading = ({ headings }: Page): void => headings.close()

const rules: Readonly<Record<string, Rule>> = {
  html: { attributes: ['lang'], open: ({ metadata }, given) => metadata.addHtml(given) },
  body: { open: ({ scopes }) => scopes.leave('noscript'), unscripted: true },
  base: {
    attributes: ['href'],
    open: ({ metadata, scopes }, given) => scopes.foreign || metadata.addBase(given),
  },
  link: {
    attributes: ['rel', 'href', 'hreflang'],
    open: ({ metadata, scopes }, given) => scopes.foreign || metadata.addLink(given),
  },
  meta: {
    attributes: ['name', 'property', 'http-equiv', 'content'],
    open: ({ metadata }, given) => metadata.addMeta(given),
  },
  title: { text: ({ metadata }, text) => metadata.addTitle(text) },
  script: {
    attributes: ['type'],
    open: ({ structured }, given) => structured.begin(given.get('type')),
    text: ({ structured }, text) => structured.add(text),
  },
  a: {
    attributes: ['href', 'rel'],
    open: ({ links }, given) => links.open(given),
    close: ({ links }) => links.close(),
    unscripted: true,
  },
  area: {
    attributes: ['href', 'rel', 'alt'],
    open: ({ links }, given) => links.area(given),
    unscripted: true,
  },
  img: { attributes: ['alt'], open: describe, unscripted: true },
  h1: { open: ({ headings }) => headings.open('h1'), close: closeHeading },
  h2: { open: ({ headings }) => headings.open('h2'), close: closeHeading },
  h3: { open: ({ headings }) => headings.open('h3'), close: closeHeading },
  h4: { open: closeHeading, close: closeHeading },
  h5: { open: closeHeading, close: closeHeading },
  h6: { open: closeHeading, close: closeHeading },
  style: { text: ignored },
  textarea: { text: ignored },
  iframe: { text: ignored },
  noembed: { text: ignored },
  noframes: { text: ignored },
  svg: { scope: 'foreign' },
  math: { scope: 'foreign' },
  foreignobject: { scope: 'html' },
  desc: { scope: 'html' },
  mi: { scope: 'html' },
  mo: { scope: 'html' },
  mn: { scope: 'html' },
  ms: { scope: 'html' },
  mtext: { scope: 'html' },
  'annotation-xml': { scope: 'html' },
  template: { scope: 'inert', attributes: ['shadowrootmode'] },
  noscript: { scope: 'unscripted' },
}

/** A picture's alternative text stands for it in a link or a heading. */
function describe({ links, headings }: Page, given: Attributes): void {
  if (links.text === null && headings.text === null) return
  const alt = ` ${given.get('alt') ?? ''} `
  links.text?.addString(alt)
  headings.text?.addString(alt)
}

const inline = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span ' +
    'strike strong sub sup time tt u var wbr'
  ).split(' '),
)

/** WHATWG HTML, 13.2.6.5, "the rules for parsing tokens in foreign content". */
const breaksOut = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu ' +
    'meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
)

/** Named only to be found quickly; an element that is not here is treated like these. */
const others =
  'address article aside button caption col colgroup details dialog fieldset figcaption figure footer form ' +
  'header input legend main nav optgroup option object path picture section select source summary tbody td tfoot ' +
  'th thead tr video'

const elements = new Map<string, Element>()
for (const name of [...Object.keys(rules), ...inline, ...breaksOut, ...others.split(' ')]) {
  elements.set(name, { ...rules[name], name, inline: inline.has(name), breaksOut: breaksOut.has(name) })
}

const unknown: Element = { name: '', inline: false, breaksOut: false }

/** The element of that name, in any case. */
export function elementOf(name: string): Element {
  return elements.get(name) ?? elements.get(name.toLowerCase()) ?? unknown
}
