/**
 * Nesting rules of elements, as tables by name: the end tags that a start tag implies, and the limits of the search
 * for the element of an end tag. Based on WHATWG HTML, 13.2.6. Elements without a rule are inline.
 */

/** The searches that an element stops, as bits: such a search for an open element does not go beyond it. */
export const stops = {
  /** "has a particular element in scope" */
  scope: 1,
  /** The scope of a paragraph also ends at a button. */
  button: 2,
  /** The scope of an item also ends at a list. */
  list: 4,
  /** The scope of a table's parts. */
  table: 8,
  /** The category "special": inline elements do not end across it. */
  special: 16,
  /** Special elements, except those that may be unclosed in a list item: `address`, `div`, `p`. */
  item: 32,
  /** The lists of a form control. */
  select: 64,
  ruby: 128,
} as const

/** Groups of elements that end each other, regardless of their names. */
export const groups = [
  ...(['p', 'item', 'term', 'heading', 'a', 'nobr', 'button', 'option', 'options', 'ruby'] as const),
  ...(['caption', 'cell', 'row', 'section'] as const),
]

export type Group = (typeof groups)[number]

export type Ending = { group: Group; within: number }

export type ElementRule = {
  /** A shared string for all elements of that name, or the empty string without a rule. */
  name: string
  /** Never has content or an end tag. */
  void: boolean
  /** Its content is text up to its end tag. */
  raw: boolean
  /** Ended by its end tag even if blocks inside are still open. These stay open. */
  formatting: boolean
  /** Allowed in `<head>`. */
  head: boolean
  /** Ends SVG or MathML. */
  breaksOut: boolean
  /** A line break at its start is not content. */
  skipsNewline: boolean
  stops: number
  /** Elements that its start tag ends. */
  ends: readonly Ending[]
  /** Bits that stop the search of its end tag. */
  within: number
  group: Group | null
}

const { scope, button, list, table, special, item, select, ruby } = stops
const block = special | item
const wall = scope | button | list | block | select | ruby

const endP: Ending = { group: 'p', within: scope | button }
const endOption: Ending = { group: 'option', within: special | select }
const endCell: Ending = { group: 'cell', within: table }
const endRow: Ending = { group: 'row', within: table }
const endSection: Ending = { group: 'section', within: table }
const endCaption: Ending = { group: 'caption', within: table }
const endRuby: Ending = { group: 'ruby', within: ruby | special }

const inline: ElementRule = {
  name: '',
  void: false,
  raw: false,
  formatting: false,
  head: false,
  breaksOut: false,
  skipsNewline: false,
  stops: 0,
  ends: [],
  within: special,
  group: null,
}

/** Elements that end foreign content (WHATWG HTML, 13.2.6.5, "the rules for parsing tokens in foreign content"). */
export const breaksOut =
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu ' +
  'meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var'

type Change = Partial<ElementRule>
const rows: readonly (readonly [names: string, change: Change])[] = [
  ['a', { formatting: true, group: 'a', ends: [{ group: 'a', within: scope }], within: scope }],
  ['nobr', { formatting: true, group: 'nobr', ends: [{ group: 'nobr', within: scope }], within: scope }],
  ['b big code em font i s small strike strong tt u', { formatting: true, within: scope }],
  [
    'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer ' +
      'header hgroup main menu nav ol search section summary ul pre listing',
    { stops: block, ends: [endP], within: scope },
  ],
  ['address div', { stops: special }],
  ['ol ul', { stops: block | list }],
  ['pre listing', { skipsNewline: true }],
  ['form', { stops: block, ends: [endP], within: scope, formatting: true }],
  ['p', { stops: special, ends: [endP], within: scope | button, group: 'p' }],
  [
    'li',
    { stops: block, ends: [{ group: 'item', within: item }, endP], within: scope | list, group: 'item' },
  ],
  ['dd dt', { stops: block, ends: [{ group: 'term', within: item }, endP], within: scope, group: 'term' }],
  [
    'h1 h2 h3 h4 h5 h6',
    { stops: block, ends: [endP, { group: 'heading', within: special }], within: scope, group: 'heading' },
  ],
  [
    'button',
    { stops: block | button, ends: [{ group: 'button', within: scope }], within: scope, group: 'button' },
  ],
  ['select datalist', { stops: block | select, within: scope }],
  ['option', { ends: [endOption], within: special | select, group: 'option' }],
  [
    'optgroup',
    {
      ends: [endOption, { group: 'options', within: special | select }],
      within: special | select,
      group: 'options',
    },
  ],
  ['ruby', { stops: ruby }],
  ['rb rt rp rtc', { ends: [endRuby], group: 'ruby' }],
  ['table', { stops: wall | table, ends: [endP], within: table }],
  [
    'caption',
    { stops: wall, ends: [endCell, endRow, endSection, endCaption], within: table, group: 'caption' },
  ],
  [
    'tbody thead tfoot colgroup',
    { stops: block, ends: [endCell, endRow, endSection, endCaption], within: table, group: 'section' },
  ],
  ['tr', { stops: block, ends: [endCell, endRow, endCaption], within: table, group: 'row' }],
  ['td th', { stops: wall, ends: [endCell, endCaption], within: table, group: 'cell' }],
  ['applet marquee object', { stops: wall, within: scope }],
  ['template', { stops: wall | table, within: 0, head: true }],
  ['html', { stops: wall | table, within: 0, head: true }],
  ['head', { stops: block, within: 0, head: true }],
  ['body', { stops: block, within: 0, head: true }],
  ['svg math', { within: 0 }],
  ['noscript', { stops: block, within: scope, head: true }],
  ['area br embed img input keygen source track wbr frame param', { void: true, stops: block }],
  ['hr', { void: true, stops: block, ends: [endP] }],
  ['col', { void: true, stops: block, ends: [endCaption] }],
  ['base basefont bgsound link meta', { void: true, stops: block, head: true }],
  ['script style title noframes', { raw: true, stops: block, within: 0, head: true }],
  ['iframe noembed textarea', { raw: true, stops: block, within: 0 }],
  ['xmp plaintext', { raw: true, stops: block, ends: [endP], within: 0 }],
  ['textarea', { skipsNewline: true }],
  [breaksOut, { breaksOut: true }],
]

const rules = new Map<string, ElementRule>()
for (const [names, change] of rows) {
  for (const name of names.split(' ')) rules.set(name, { ...(rules.get(name) ?? inline), ...change, name })
}

/** Returns the rule of an HTML element by its name in lower case. */
export const ruleOf = (name: string): ElementRule => rules.get(name) ?? inline

const verbatim = new Set('script style xmp iframe noembed noframes plaintext'.split(' '))

/** Returns whether the text of an element has no character references. */
export const isVerbatim = (name: string): boolean => verbatim.has(name)

/** Rule of an element of SVG or MathML that contains HTML. All searches stop at it. */
const island: ElementRule = { ...inline, stops: wall, within: 0 }
const foreign: ElementRule = { ...inline, within: 0 }
const islands = new Set('foreignobject desc title mi mo mn ms mtext annotation-xml'.split(' '))

/** Returns the rule of an element of SVG or MathML. */
export const foreignRuleOf = (name: string): ElementRule => (islands.has(name) ? island : foreign)

/** Returns whether tags inside an element of that rule are read as HTML. */
export const holdsHtml = (rule: ElementRule): boolean => rule !== foreign
