/** Properties of elements that the reader needs: tables by name. */
import type { Attributes } from './attributes.ts'
import type { Page } from './page.ts'
import type { ScopeKind } from './scopes.ts'

type Rule = {
  scope?: ScopeKind
  /** Whether it shows media, so that whatever its attributes name is content. */
  media?: true
  /** The attributes that it reads, at most 8. */
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
  /** Whether a word continues across its tags. */
  inline: boolean
  /** Whether it cannot stand inside SVG or MathML. */
  breaksOut: boolean
}

const fieldAttributes = ['type', 'name', 'value', 'placeholder', 'min', 'max', 'pattern', 'aria-label']

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
  video: media('src', 'poster'),
  audio: media('src'),
  source: media('src', 'srcset'),
  track: media('src'),
  embed: media('src'),
  object: media('data'),
  image: media('href', 'xlink:href'),
  canvas: media('aria-label', 'title'),
  input: { attributes: fieldAttributes, open: showField },
  select: { attributes: fieldAttributes, open: showField },
  button: { attributes: fieldAttributes, open: showField },
  area: {
    attributes: ['href', 'rel', 'alt'],
    open: ({ links }, given) => links.area(given),
    unscripted: true,
  },
  img: {
    attributes: ['alt', 'src', 'srcset', 'width', 'height'],
    open: showPicture,
    unscripted: true,
    media: true,
  },
  h1: { open: ({ headings }) => headings.open('h1'), close: closeHeading },
  h2: { open: ({ headings }) => headings.open('h2'), close: closeHeading },
  h3: { open: ({ headings }) => headings.open('h3'), close: closeHeading },
  h4: { open: closeHeading, close: closeHeading },
  h5: { open: closeHeading, close: closeHeading },
  h6: { open: closeHeading, close: closeHeading },
  style: { text: ignored },
  textarea: {
    attributes: fieldAttributes,
    open: showField,
    text: ({ likeness }, text) => likeness.addShown(text),
  },
  iframe: { ...media('src', 'srcdoc', 'title'), text: ignored },
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

/** Media whose attributes identify the shown content. */
function media(...attributes: string[]): Rule {
  return {
    media: true,
    attributes,
    open: ({ likeness }, given) => {
      for (const name of attributes) likeness.addShown(given.get(name))
    },
  }
}

/** Of a field that a reader sees: a hidden one holds tokens of this answer. */
function showField({ likeness }: Page, given: Attributes): void {
  if (given.get('type')?.toLowerCase() === 'hidden') return
  for (const name of fieldAttributes) likeness.addShown(given.get(name))
}

/** A picture of one pixel counts visitors; it shows nothing. */
const isCounter = (given: Attributes): boolean => isDot(given.get('width')) || isDot(given.get('height'))
const isDot = (length: string | null): boolean => length === '0' || length === '1'

function showPicture(page: Page, given: Attributes): void {
  const { likeness, scopes } = page
  if (!scopes.hidden && !isCounter(given)) {
    likeness.addShown(given.get('src'))
    likeness.addShown(given.get('srcset'))
    likeness.addShown(given.get('alt'))
  }
  describe(page, given)
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
  'address article aside caption col colgroup details dialog fieldset figcaption figure footer form header legend ' +
  'main nav optgroup option path picture section summary tbody td tfoot th thead tr'

const elements = new Map<string, Element>()
for (const name of [...Object.keys(rules), ...inline, ...breaksOut, ...others.split(' ')]) {
  elements.set(name, { ...rules[name], name, inline: inline.has(name), breaksOut: breaksOut.has(name) })
}

const unknown: Element = { name: '', inline: false, breaksOut: false }

/** The element of that name, in any case. */
export function elementOf(name: string): Element {
  return elements.get(name) ?? elements.get(name.toLowerCase()) ?? unknown
}
