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
export const isHidden = (element: Element): boolean => never.has(element.name) && !isShadowRoot(element)

/** Returns whether an element is a declarative shadow root, which browsers show in its parent. */
export const isShadowRoot = ({ name, attribs }: Element): boolean =>
  name === 'template' && attribs.shadowrootmode !== undefined
