/** Decides which elements of a page are not shown. */
import type { Element } from 'domhandler'

const never = new Set(
  'head script style template noscript iframe noembed noframes object embed textarea select datalist title'.split(
    ' ',
  ),
)

/**
 * Returns whether a browser that runs scripts never shows the text of this kind of element, whatever its attributes
 * are. A `template` that declares a shadow root is shown.
 */
export const isHidden = (element: Element): boolean => never.has(element.name) && !isShadowRoot(element)

/** Returns whether an element is a declarative shadow root, which browsers show in its parent. */
export const isShadowRoot = ({ name, attribs }: Element): boolean =>
  name === 'template' && attribs.shadowrootmode !== undefined
