/** The reader's rules for each element: tables by name. */
import type { Attributes } from './attributes.ts'
import type { Page } from './page.ts'
import type { ScopeKind } from './scopes.ts'
import { breaksOut } from './tree/element-rules.ts'

type Rule = {
  scope?: ScopeKind
  /** Whether the element shows media. Then all its attributes are content. */
  media?: true
  /** Names of the attributes that the rule reads, at most 8. */
  attributes?: readonly string[]
  open?: (page: Page, attributes: Attributes) => void
  close?: (page: Page) => void
  /** Receives the text up to the end tag, which is not text of the page. */
  text?: (page: Page, text: string) => void
  /** Whether the rule also applies inside `<noscript>`. */
  unscripted?: true
}

export type Element = Rule & {
  /** Name in lower case, or the empty string for an element without meaning here. */
  name: string
  /** Whether a word continues across its tags. */
  inline: boolean
  /** Whether it ends SVG or MathML. */
  breaksOut: boolean
}

const fieldAttributes = ['type', 'name', 'value', 'placeholder', 'min', 'max', 'pattern', 'aria-label']

const ignored = (): void => {}
const closeHeading = ({ headings }: Page): void => headings.close()

const rules: Readonly<Record<string, Rule>> = {
  html: { attributes: ['lang'], open: ({ metadata }, attributes) => metadata.addHtml(attributes) },
  body: { open: ({ scopes }) => scopes.leave('noscript'), unscripted: true },
  base: { attributes: ['href'], open: addBase },
  link: {
    attributes: ['rel', 'href', 'hreflang'],
    open: ({ metadata, scopes }, attributes) => scopes.foreign || metadata.addLink(attributes),
  },
  meta: {
    attributes: ['name', 'property', 'http-equiv', 'content'],
    open: ({ metadata }, attributes) => metadata.addMeta(attributes),
  },
  title: { text: ({ metadata }, text) => metadata.addTitle(text) },
  script: {
    attributes: ['type'],
    open: ({ jsonLd }, attributes) => jsonLd.begin(attributes.get('type')),
    text: ({ jsonLd }, text) => jsonLd.add(text),
  },
  a: {
    attributes: ['href', 'rel', 'xlink:href'],
    open: ({ links, scopes }, attributes) => links.open(attributes, scopes.foreign),
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
    open: ({ links }, attributes) => links.area(attributes),
    unscripted: true,
  },
  frame: { attributes: ['src', 'title'], open: ({ links }, attributes) => links.frame(attributes) },
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

/** Returns the rule of media, whose attributes describe what is shown. */
function media(...names: string[]): Rule {
  return {
    media: true,
    attributes: names,
    open: ({ likeness }, attributes) => {
      for (const name of names) likeness.addShown(attributes.get(name))
    },
  }
}

function addBase({ metadata, links, scopes }: Page, attributes: Attributes): void {
  if (scopes.foreign) return
  metadata.addBase(attributes)
  links.hasBase = metadata.base !== null
}

/** Records a visible form field. Hidden fields contain tokens of one response. */
function showField({ likeness }: Page, attributes: Attributes): void {
  if (attributes.get('type')?.toLowerCase() === 'hidden') return
  for (const name of fieldAttributes) likeness.addShown(attributes.get(name))
}

/** Returns whether an image has one pixel. Such images count visitors and show nothing. */
const isCounter = (attributes: Attributes): boolean =>
  isDot(attributes.get('width')) || isDot(attributes.get('height'))
const isDot = (length: string | null): boolean => length === '0' || length === '1'

function showPicture(page: Page, attributes: Attributes): void {
  const { likeness, scopes } = page
  if (!scopes.hidden && !isCounter(attributes)) {
    likeness.addShown(attributes.get('src'))
    likeness.addShown(attributes.get('srcset'))
    likeness.addShown(attributes.get('alt'))
  }
  describe(page, attributes)
}

/** Adds an image's alternative text, which replaces it in a link or a heading. */
function describe({ links, headings, scopes }: Page, attributes: Attributes): void {
  if (links.text === null && headings.text === null) return
  const alt = ` ${attributes.get('alt') ?? ''} `
  links.text?.part(scopes.hidden).addString(alt)
  headings.text?.part(scopes.hidden).addString(alt)
}

const inline = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span ' +
    'strike strong sub sup time tt u var wbr'
  ).split(' '),
)

/** Listed only for fast lookup. Unlisted elements are treated the same. */
const others =
  'address article aside caption col colgroup details dialog fieldset figcaption figure footer form header legend ' +
  'main nav optgroup option path picture section summary tbody td tfoot th thead tr'

const elements = new Map<string, Element>()
const foreignEnds = new Set(breaksOut.split(' '))
for (const name of [...Object.keys(rules), ...inline, ...foreignEnds, ...others.split(' ')]) {
  elements.set(name, { ...rules[name], name, inline: inline.has(name), breaksOut: foreignEnds.has(name) })
}

const unknown: Element = { name: '', inline: false, breaksOut: false }

/** Returns the element with a name, ignoring case. */
export function elementOf(name: string): Element {
  return elements.get(name) ?? elements.get(name.toLowerCase()) ?? unknown
}
