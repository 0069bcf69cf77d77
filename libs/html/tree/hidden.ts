/** Parts of a page that are not visible. */
import type { Element } from 'domhandler'

const never = new Set(
  'head script style template noscript iframe noembed noframes object embed textarea select datalist title'.split(
    ' ',
  ),
)

/** Whether browsers that run scripts show nothing of the element, whatever its attributes. A shadow root is shown. */
export const isHidden = (element: Element): boolean =>
  never.has(element.name) && !(element.name === 'template' && 'shadowrootmode' in element.attribs)
