/** The labels of panels of tabs (WAI-ARIA Authoring Practices: tabs), for Markdown that has all panels without their tabs. */
import { type ChildNode, Element, type ParentNode } from 'domhandler'
import { textOf } from '../tree/text-of.ts'
import { walk } from '../tree/walk.ts'

/** Maximum elements between the tabs and their panels, and elements that are read in a list of tabs. */
const maxSiblings = 3
const maxElements = 300
const maxLength = 60

/** Labels by panel, for each element around panels, so that each list of tabs is read once. */
const known = new WeakMap<ParentNode, ReadonlyMap<Element, string>>()

/**
 * Returns the text of the tab that opens a panel, or the empty string if that is unknown, or if the panel begins with it
 * or has no text.
 */
export function panelLabel(panel: Element, isLeftOut: (element: Element) => boolean): string {
  const { parent } = panel
  if (parent === null) return ''
  const labels = known.get(parent) ?? labelsIn(parent)
  known.set(parent, labels)
  const label = labels.get(panel) ?? ''
  return label === '' || isRepeated(label, panel, isLeftOut) ? '' : label
}

function labelsIn(parent: ParentNode): Map<Element, string> {
  const panels = parent.children.filter(isPanel)
  const [first] = panels
  const list = first === undefined ? null : (listBefore(first) ?? listBefore(parent as ChildNode))
  const tabs = list === null ? [] : tabsIn(list)
  if (tabs.length < 2) return new Map() // there is no other panel
  const labels = new Map<Element, string>()
  for (const [at, panel] of panels.entries()) {
    const id = panel.attribs['aria-labelledby']
    const stated = id === undefined ? undefined : tabs.find(({ attribs }) => attribs.id === id)
    const tab = stated ?? (tabs.length === panels.length ? tabs[at] : undefined)
    const label = tab === undefined ? '' : textOf(tab)
    if (label.length <= maxLength) labels.set(panel, label)
  }
  return labels
}

const isPanel = (node: ChildNode): node is Element =>
  node instanceof Element && node.attribs.role === 'tabpanel'

/** Returns the list of tabs right before a node, or null. */
function listBefore(node: ChildNode): Element | null {
  let left = maxSiblings
  for (let { prev } = node; prev !== null && left > 0; { prev } = prev) {
    if (!(prev instanceof Element)) continue
    left -= 1
    const list = [prev, ...prev.children.slice(0, maxSiblings)].find(isList)
    if (list instanceof Element) return list
  }
  return null
}

const isList = (node: ChildNode): boolean => node instanceof Element && node.attribs.role === 'tablist'

function tabsIn(list: Element): Element[] {
  const tabs: Element[] = []
  let elements = 0
  walk(list, {
    enter: element => {
      elements += 1
      if (element.attribs.role === 'tab') tabs.push(element)
      return element.attribs.role !== 'tab'
    },
    ends: () => elements >= maxElements,
  })
  return tabs
}

/** Maximum nodes before the first text of a panel. */
const maxNodes = 60

/** Returns whether the text of a panel begins with its label, or whether it has no text. */
function isRepeated(label: string, panel: Element, isLeftOut: (element: Element) => boolean): boolean {
  let text = ''
  let nodes = 0
  walk(panel, {
    enter: element => !isLeftOut(element),
    text: ({ data }) => {
      text += data.slice(0, maxLength).trimStart()
    },
    ends: () => nodes++ > maxNodes || text.length >= label.length,
  })
  return text === '' || text.toLowerCase().startsWith(label.toLowerCase())
}
