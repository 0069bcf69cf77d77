/**
 * Reads all structured data of a page: six syntaxes from one tree. Any page can be read: it never throws, takes time
 * linear in the size of the page, and fetches nothing. The result is limited and sanitized. Crawls and scans do not
 * use it: they read only JSON-LD (`json-ld.ts`), in the pass that reads the page.
 */
import type { Document } from 'domhandler'
import { readDublinCore } from './dublin-core.ts'
import { readJsonLdBlocks } from './json-ld-blocks.ts'
import { Limits } from './limits.ts'
import { MarkupLine } from './markup.ts'
import { readMicrodata } from './microdata.ts'
import { readMicroformats } from './microformats.ts'
import { readOpenGraph } from './open-graph.ts'
import { Outline } from './outline.ts'
import { readRdfa } from './rdfa.ts'
import {
  type Structured,
  type StructuredData,
  type StructuredError,
  type Syntax,
  syntaxes,
} from './structured.ts'
import { TextLine } from './text-line.ts'

const maxErrors = 100

/**
 * Returns the structured data. Addresses are absolute, except those in JSON-LD, which is returned as written.
 * @param url The page's own absolute address.
 */
export function readStructured(document: Document, { url }: { url: string }): Structured {
  const outline = new Outline(document, url)
  const { elements } = outline
  const resolve = (address: string): string => outline.resolve(address)
  const text = once(() => new TextLine(outline))
  const markup = once(() => new MarkupLine(outline))
  const errors: StructuredError[] = []
  const report = (syntax: Syntax, reason: StructuredError['reason']): void => {
    const isKnown = errors.some(error => error.syntax === syntax && error.reason === reason)
    if (!isKnown) errors.push({ syntax, reason, block: null, position: null })
  }
  /** Reads one syntax within its own limits. */
  const within = <Items>(syntax: Syntax, read: (limits: Limits) => Items): Items => {
    const limits = new Limits()
    const items = read(limits)
    if (limits.exceeded) report(syntax, 'too-much')
    return items
  }
  const data: StructuredData = {
    'json-ld': readJsonLdBlocks(elements, error => errors.length < maxErrors && errors.push(error)),
    microdata: within('microdata', limits =>
      readMicrodata(outline, text, limits, fault => report('microdata', fault)),
    ),
    rdfa: within('rdfa', limits => readRdfa(outline, { text, markup }, limits)),
    opengraph: within('opengraph', limits => readOpenGraph(elements, resolve, limits)),
    dublincore: within('dublincore', limits => readDublinCore(elements, resolve, limits)),
    microformat: within('microformat', limits =>
      readMicroformats(outline, limits, () => report('microformat', 'too-deep')),
    ),
  }
  const counts = Object.fromEntries(syntaxes.map(syntax => [syntax, data[syntax].length]))
  return { counts: counts as Structured['counts'], data, errors }
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | null = null
  return () => {
    made ??= make()
    return made
  }
}
