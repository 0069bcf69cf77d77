/** The groups in which a page shows its links: below the label of a menu, or below a heading. Reads its Markdown. */
import { normalForm } from '@tidemark/url/normal-form'
import { CodeFence, linksOf, plainText, textOutsideLinks } from './markdown-text.ts'

/** The labels of a URL. */
export type Labels = { menu: string[]; heading: string[] }

type Item = { indent: number; text: string; unlabelled: string[] }

/** Maximum characters and lines of a page that are read. Menus are at the start of a page. */
const maxCharacters = 300_000
const maxLines = 10_000
const maxLabelLength = 60
/** Maximum number of labels of a URL and kind, because each further label is compared with all before it. */
const maxLabels = 20

/**
 * Adds the labels of one page. A heading of the main content labels only links of the main content, and a heading outside
 * of it only links outside of it.
 * @param main the main content; each of its lines is also a line of `whole`
 */
export function addLabels(labels: Map<string, Labels>, whole: string, main: string): void {
  const ofMain = new Set(main.split('\n'))
  const items: Item[] = []
  const code = new CodeFence()
  let heading = { text: '', isMain: false }
  for (const line of whole.slice(0, maxCharacters).split('\n', maxLines)) {
    if (code.takes(line) || line.trim() === '') continue
    const isMain = ofMain.has(line)
    const [, signs] = /^(#{1,6})\s/.exec(line) ?? []
    if (signs !== undefined) {
      // The first level is the title of the page.
      heading = { text: signs.length === 1 ? '' : plainText(line), isMain }
      items.length = 0
      continue
    }
    const item = itemOf(line)
    if (item === null) items.length = 0
    else while ((items.at(-1)?.indent ?? -1) >= item.indent) items.pop()
    const urls = standingLinks(line, item !== null)
    const parent = items.at(-1)
    const kind = parent === undefined ? 'heading' : 'menu'
    const label = parent?.text ?? (heading.isMain === isMain ? heading.text : '')
    for (const url of urls) add(labels, url, kind, label)
    // The first child labels the links of its parent. Further children would only repeat that.
    for (const url of parent?.unlabelled.splice(0) ?? []) add(labels, url, 'menu', label)
    if (item !== null) items.push({ ...item, unlabelled: urls })
  }
}

function itemOf(line: string): Omit<Item, 'unlabelled'> | null {
  const [, space = '', content] = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(.*)$/s.exec(line) ?? []
  return content === undefined ? null : { indent: space.length, text: plainText(content) }
}

/** Returns the links that stand by themselves: all of a line without other text, and the one at the start of an item. */
function standingLinks(line: string, isItem: boolean): string[] {
  const links = linksOf(line)
  const isAlone = !/[\p{L}\p{N}]/u.test(textOutsideLinks(line))
  const standing = isAlone ? links : isItem && /^\s*\S+\s+\[/.test(line) ? links.slice(0, 1) : []
  return standing.flatMap(({ href }) => normalForm(href) ?? [])
}

function add(labels: Map<string, Labels>, url: string, kind: keyof Labels, label: string): void {
  if (label === '' || label.length > maxLabelLength) return
  const known = labels.get(url) ?? { menu: [], heading: [] }
  if (known[kind].length < maxLabels && !known[kind].includes(label)) known[kind].push(label)
  labels.set(url, known)
}
