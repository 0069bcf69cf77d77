/** Buttons that open an answer beneath them, and their panels (WAI-ARIA Authoring Practices: accordion, disclosure). */
import { Element } from 'domhandler'
import { walk } from './walk.ts'

/**
 * Returns whether an element is a panel of tabs or of an accordion, or a text below the button that opens it. Readers
 * open each of them.
 */
export function isPanel(element: Element): boolean {
  const { role, hidden, style, 'aria-labelledby': label, class: names } = element.attribs
  if (role === 'tabpanel') return true
  const isRegion = role === 'region' && label !== undefined
  if (!isRegion && hidden === undefined && style === undefined && names === undefined) return false
  const button = buttonAbove(element)
  if (button === null) return false
  return (isRegion && labels(button, label)) || (panelBelow(button) === element && opensPanel(button))
}

/** Returns whether one of the ids is that of a button or of its heading. */
function labels({ attribs, parent }: Element, ids: string): boolean {
  const own = [
    attribs.id,
    parent instanceof Element && headings.has(parent.name) ? parent.attribs.id : undefined,
  ]
  return ids
    .slice(0, maxIds)
    .split(/\s+/)
    .some(id => id !== '' && own.includes(id))
}

/** Maximum characters of a list of ids. */
const maxIds = 500

/** Returns the button right above an element, which may be in a heading. */
function buttonAbove({ prev }: Element): Element | null {
  let above = prev
  while (above !== null && !(above instanceof Element)) above = above.prev
  if (above?.name === 'button') return above
  const inside = above !== null && headings.has(above.name) ? above.children : []
  const button = inside.length > maxSiblings ? undefined : inside.find(node => node instanceof Element)
  return button instanceof Element && button.name === 'button' ? button : null
}

const headings = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'])

/** Maximum siblings between a button and its panel. */
const maxSiblings = 3
const frame = new Set(['nav', 'header', 'form', 'footer', 'menu'])

/** Results by button, so that each panel is read once. */
const known = new WeakMap<Element, boolean>()

/**
 * Returns whether an element is a button that opens a text right beneath it, outside of the frame of the page. Buttons
 * with `aria-haspopup` open menus.
 */
export function opensPanel(element: Element): boolean {
  if (element.name !== 'button') return false
  const result = known.get(element) ?? opensText(element)
  known.set(element, result)
  return result
}

function opensText(element: Element): boolean {
  const { attribs } = element
  if (attribs['aria-haspopup'] !== undefined) return false
  if (attribs['aria-expanded'] === undefined && !hasClass(attribs.class, 'accordion')) return false
  const panel = panelBelow(element)
  if (panel === null || !isText(panel)) return false
  for (let around = element.parent; around instanceof Element; around = around.parent)
    if (frame.has(around.name) || around.attribs.role === 'navigation') return false
  return true
}

function panelBelow(button: Element): Element | null {
  const id = button.attribs['aria-controls']
  const { parent } = button
  let sibling = parent instanceof Element && headings.has(parent.name) ? parent.next : button.next
  for (let n = 0; n < maxSiblings && sibling !== null; sibling = sibling.next) {
    if (!(sibling instanceof Element)) continue
    n += 1
    const { attribs } = sibling
    if (id === undefined ? hasClass(attribs.class, 'panel') : attribs.id === id) return sibling
    if (id === undefined) return null
  }
  return null
}

/** Maximum nodes of a panel that are read. Panels may be nested. */
const maxNodes = 2_000

/** Returns whether most of the beginning of a panel is neither in links nor in controls. */
function isText(panel: Element): boolean {
  if (frame.has(panel.name)) return false
  let [letters, ofLinks, nodes] = [0, 0, 0]
  let link: Element | null = null
  walk(panel, {
    enter: element => {
      nodes += 1
      if (link === null && controls.has(element.name)) link = element
      return true
    },
    leave: element => {
      if (element === link) link = null
    },
    text: ({ data }) => {
      const size = data.trim().length
      if (link === null) letters += size
      else ofLinks += size
      nodes += 1
    },
    ends: () => nodes >= maxNodes,
  })
  return letters > ofLinks
}

const controls = new Set(['a', 'button', 'label', 'select', 'script', 'style'])

const hasClass = (names: string | undefined, name: string): boolean =>
  names !== undefined && names.length < 500 && names.split(/\s+/).includes(name)
