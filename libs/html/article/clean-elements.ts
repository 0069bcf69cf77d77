/**
 * The elements and attributes of a clean article, by name. None of them runs scripts, loads resources or changes the
 * layout.
 */

const words = (list: string): readonly string[] => list.split(' ')

/** Elements that are kept. Any other element is replaced by its content. */
export const cleanElements = new Set(
  words(
    'p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre code em strong b i u s del ins sub sup a img figure ' +
      'figcaption table caption thead tbody tfoot tr th td br hr abbr cite q kbd samp var time mark small ruby rt rp ' +
      'details summary div',
  ),
)

/** Elements without an end tag. */
export const voidElements = new Set(words('img br hr'))

/** Elements that may be empty. */
export const emptyOnly = new Set(words('img br hr td th'))

/** Attributes that are kept on all elements, and by element. */
const anyAttributes = words('lang dir')

const byElement: Readonly<Record<string, readonly string[]>> = {
  a: words('href title'),
  img: words('src alt title width height'),
  td: words('colspan rowspan'),
  th: words('colspan rowspan scope'),
  ol: words('start reversed type'),
  li: words('value'),
  blockquote: words('cite'),
  q: words('cite'),
  time: words('datetime'),
  abbr: words('title'),
  del: words('datetime'),
  ins: words('datetime'),
  details: words('open'),
}

const attributes = new Map<string, readonly string[]>()
for (const [name, own] of Object.entries(byElement)) attributes.set(name, [...anyAttributes, ...own])

/** Returns the attributes that an element of that name keeps. */
export const attributesFor = (name: string): readonly string[] => attributes.get(name) ?? anyAttributes

/** Attributes with addresses. */
export const addresses = new Set(words('href src cite'))
