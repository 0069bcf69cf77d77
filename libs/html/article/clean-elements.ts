/** Elements and attributes by name that a clean article may have. None of them runs, loads or styles. */

const words = (list: string): readonly string[] => list.split(' ')

/** Kept as they are; of any other element only what stands in it is kept. */
export const cleanElements = new Set(
  words(
    'p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre code em strong b i u s del ins sub sup a img figure ' +
      'figcaption table caption thead tbody tfoot tr th td br hr abbr cite q kbd samp var time mark small ruby rt rp ' +
      'details summary div',
  ),
)

/** Elements without an end tag. */
export const voidElements = new Set(words('img br hr'))

/** Elements that would say nothing if they were empty. */
export const emptyOnly = new Set(words('img br hr td th'))

/** Attributes of any element, and by element. */
const anyAttributes = words('lang dir')

const byElement: Readonly<Record<string, readonly string[]>> = {
  a: words('href title'),
  img: words('src alt title width height'),
  td: words('colspan rowspan'),
  th: words('colspan rowspan scope'),
  ol: words('start reversed type'),
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

/** The attributes that an element of that name keeps. */
export const attributesFor = (name: string): readonly string[] => attributes.get(name) ?? anyAttributes

/** Attributes that hold addresses. */
export const addresses = new Set(words('href src cite'))

/** Where pages that load pictures late keep the address, best first. */
export const lateSources = words('data-src data-lazy-src data-original data-srcset data-lazy-srcset srcset')
