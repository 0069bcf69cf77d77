/** The parts of a page that lie over its content: dialogs, drawers, menus. Their names are the only known sign. */
import type { Element } from 'domhandler'
import { isRoot } from './hiding.ts'

const dialog = /modal|dialog|pop(?:up|over)|lightbox|overlay|drawer|cookie|consent/i

/** Parts that style sheets usually hide too: closed dialogs and menus, notices, copies of slides. */
const overlay = new RegExp(
  `${dialog.source}|off-?canvas|dropdown|tooltip|menu|\\bnav|slid|carousel|swiper|cloned|comment|(?<!overflow-(?:[xy]-)?)\\bhid(?:e|den)\\b`,
  'i',
)

/** Classes of an element around an open part, such as `nav-open` of a page with an open menu. */
const state = /^\S*open\S*$|^(?:has|with|no)[-_]\S*$|^\S*[-_](?:active|visible|expanded|shown)$/i

/** Returns whether an element is a part that style sheets hide while it is closed. */
export const isOverlay = (element: Element): boolean =>
  element.name === 'dialog' || element.name === 'nav' || isNamed(element, overlay)

/** Returns whether an element, if it is shown, is an open dialog or a menu over the content. */
export const isOpenOverlay = (element: Element): boolean =>
  element.name === 'dialog' ||
  element.name === 'nav' ||
  element.attribs['aria-modal'] === 'true' ||
  (!isRoot(element) && isNamed(element, dialog))

function isNamed({ attribs: { class: classes, id, role } }: Element, pattern: RegExp): boolean {
  if (classes === undefined && id === undefined && role === undefined) return false
  const names = [classes ?? '', id ?? '', role ?? ''].map(text => text.slice(0, maxLength))
  return pattern.test(names.join(' ')) && pattern.test(withoutStates(names))
}

const maxLength = 500

const withoutStates = ([classes = '', ...others]: readonly string[]): string =>
  [...classes.split(/\s+/).filter(word => !state.test(word)), ...others].join(' ')
