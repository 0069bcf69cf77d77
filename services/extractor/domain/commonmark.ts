/**
 * Renders a page as plain CommonMark by `turndown`, for clients without GFM. Loaded on first use. It recurses for each
 * level of the tree, at most 512.
 */
import type { Document } from 'domhandler'
import type { default as TurndownService } from 'turndown'
import type { CommonmarkElement } from './commonmark-node.ts'
import { commonmarkTree, type Resolve } from './commonmark-tree.ts'

/** CommonMark has no tables: each cell becomes a paragraph. `resolve` makes URLs absolute. */
export type WriteCommonmark = (root: Document, resolve: Resolve) => string

export function commonmarkBy(Turndown: typeof TurndownService): WriteCommonmark {
  const service = new Turndown({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
    emDelimiter: '*',
  })
  service.addRule('preformatted', { filter: 'pre', replacement: (_, node) => codeBlock(asOurs(node)) })
  service.addRule('code span', { filter: isCodeSpan, replacement: codeSpan })
  service.addRule('list', {
    filter: ['ul', 'ol'],
    replacement: (content, node) => list(content, asOurs(node)),
  })
  service.addRule('item', { filter: 'li', replacement: (content, node) => listItem(content, asOurs(node)) })
  const escapeMarks = service.escape.bind(service)
  service.escape = text => escapeMarks(text).replace(htmlSign, '\\$&')
  return (root, resolve) => {
    const text = service.turndown(commonmarkTree(root, resolve) as never)
    return text === '' ? '' : `${text}\n`
  }
}

/**
 * Matches a character of text that begins HTML or a character reference, or that may begin it together with the next
 * text. Turndown does not escape these characters, so text such as `&lt;b&gt;` would become HTML.
 */
const htmlSign = /<(?=[a-z/!?]|$)|&(?=#|[a-z][a-z\d]*;|$)/gi

/** Turndown passes on the nodes that it received. */
const asOurs = (node: unknown) => node as CommonmarkElement

function isCodeSpan(node: unknown): boolean {
  const { nodeName, parentNode } = asOurs(node)
  return nodeName === 'CODE' && parentNode?.nodeName !== 'PRE'
}

function codeBlock(node: CommonmarkElement): string {
  const { firstChild } = node
  const named = firstChild?.nodeName === 'CODE' ? asOurs(firstChild).getAttribute('class') : null
  const language = /(?:^|\s)lang(?:uage)?-([^\s`]{1,40})/.exec(named ?? '')?.[1] ?? ''
  const code = node.whole().replace(/^\n|\n$/g, '')
  const fence = '`'.repeat(Math.max(3, longestRun(code) + 1))
  return `\n\n${fence}${language}\n${code}\n${fence}\n\n`
}

function codeSpan(content: string): string {
  const code = content.replace(/\r?\n|\r/g, ' ')
  if (code === '') return ''
  const fence = '`'.repeat(longestRun(code) + 1)
  const isApart = code.startsWith('`') || code.endsWith('`') || (code.startsWith(' ') && code.endsWith(' '))
  const space = isApart ? ' ' : ''
  return fence + space + code + space + fence
}

function longestRun(code: string): number {
  let longest = 0
  for (const [run] of code.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}

/** CommonMark 0.31, 5.3: only a bullet list, or an ordered list that begins with 1, can interrupt a paragraph. */
function list(content: string, node: CommonmarkElement): string {
  const { nodeName, parentNode } = node
  const isTight = parentNode?.nodeName === 'LI' && parentNode.lastElementChild === node
  return isTight && (nodeName === 'UL' || startOf(node) === 1) ? `\n${content}` : `\n\n${content}\n\n`
}

function startOf(list: CommonmarkElement | null): number {
  const start = Number(list?.getAttribute('start') ?? 1)
  return Number.isSafeInteger(start) && start >= 0 ? start : 1
}

function listItem(content: string, { parentNode, position, nextSibling }: CommonmarkElement): string {
  const mark = parentNode?.nodeName === 'OL' ? `${(startOf(parentNode) + position) % 1e9}. ` : '- '
  const text = content.replace(/^\n+/, '')
  const end = text.trimEnd()
  const isParted = text.endsWith('\n')
  const indented = end.replace(/\n(?=[^\n])/g, `\n${' '.repeat(mark.length)}`)
  return mark + indented + (isParted ? '\n' : '') + (nextSibling === null ? '' : '\n')
}
