/** Content of a page that is not shown. */
import type { Element } from 'domhandler'

const never = new Set(
  'head script style template noscript iframe noembed noframes object embed textarea select datalist title'.split(
    ' ',
  ),
)

/**
 * Returns whether browsers with scripts never show the element, regardless of its attributes. A shadow root is shown.
 */
export const isHidden = (element: Element): boolean =>
  never.has(element.name) && !(element.name === 'template' && 'shadowrootmode' in element.attribs)
