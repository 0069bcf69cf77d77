/** Rules for the size of a page: bytes, elements and resources that block rendering. */
import { attribute } from '@tidemark/html/tree/attribute'
import { rawTextOf } from '@tidemark/html/tree/raw-text'
import type { AuditedPage } from './audited-page.ts'
import type { Entry } from './page-index.ts'
import { among, type Rule, when } from './rule.ts'
import { google, html, lighthouse } from './sources.ts'

const megabyte = 1024 ** 2
/** Google Search reads this much of a page. */
const maxBytes = 2 * megabyte
const maxElements = 1400
const maxInline = 100 * 1024
const maxEmbedded = 100 * 1024
const maxBlocking = 5

export const weightRules: readonly Rule[] = [
  {
    id: 'weight/html',
    severity: 'warning',
    finds: `HTML of more than ${maxBytes / megabyte} MB before compression`,
    reason: 'Google reads no more of a page than that, and phones render it slowly.',
    source: google('Googlebot, file size limits', 'crawling-indexing/googlebot'),
    find: ({ bytes }) =>
      when(
        bytes > maxBytes,
        () => `The HTML has ${megabytes(bytes)} MB. Divide the page, or load parts on demand.`,
      ),
  },
  {
    id: 'weight/elements',
    severity: 'info',
    finds: `More than ${maxElements} elements`,
    reason: 'Style and layout take longer with each element.',
    source: lighthouse('avoid an excessive DOM size', 'performance/dom-size'),
    find: ({ index }) =>
      when(
        index.all.length > maxElements,
        () =>
          `The page has ${index.all.length} elements. Browsers become noticeably slower above about ${maxElements}.`,
      ),
  },
  {
    id: 'weight/inline-code',
    severity: 'info',
    finds: `More than ${maxInline / 1024} KB of inline scripts and style sheets that are more than half of the page`,
    reason: 'Browsers download them with each page instead of caching them as a file.',
    source: lighthouse('avoid enormous network payloads', 'performance/total-byte-weight'),
    find: page => {
      const size = inlineCode(page)
      return when(
        size > maxInline && size > page.bytes / 2,
        () =>
          `${Math.round(size / 1024)} KB of the page are inline scripts and styles. Move them into files.`,
      )
    },
  },
  {
    id: 'weight/embedded-images',
    severity: 'info',
    finds: `More than ${maxEmbedded / 1024} KB of embedded images (data: URLs)`,
    reason: 'They delay the text, and browsers download them with each page.',
    source: lighthouse('avoid enormous network payloads', 'performance/total-byte-weight'),
    find: ({ index }) => {
      const size = index.of('img').reduce((sum, { element }) => sum + embedded(element), 0)
      return when(
        size > maxEmbedded,
        () =>
          `${Math.round(size / 1024)} KB of the page are embedded images. Serve images of more than a few KB as files.`,
      )
    },
  },
  {
    id: 'weight/blocking-scripts',
    severity: 'info',
    finds: `More than ${maxBlocking} script files in the head without async, defer or type=module`,
    reason: 'Browsers render nothing before all of them have loaded and run.',
    source: lighthouse('eliminate render-blocking resources', 'performance/render-blocking-resources'),
    find: page => {
      const found = scriptsOf(page).filter(isBlocking)
      if (found.length <= maxBlocking) return null
      return among(
        found,
        {
          many: '{n} scripts in the head block rendering.',
          remedy: 'Use defer or async where their order permits.',
        },
        shown,
      )
    },
  },
  {
    id: 'weight/script-twice',
    severity: 'warning',
    finds: 'A script file that is loaded more than once',
    reason: 'It runs again, so events are counted and handled twice.',
    source: html('the script element', 'scripting.html'),
    find: page => {
      const byAddress = Map.groupBy(scriptsOf(page), shown)
      const twice = [...byAddress].filter(([, all]) => all.length > 1)
      return among(
        twice,
        {
          one: 'A script is loaded more than once.',
          many: '{n} scripts are loaded more than once.',
          remedy: 'Load each script once.',
        },
        ([address, all]) => `${address}: ${all.length} times`,
      )
    },
  },
]

const megabytes = (bytes: number): string => (bytes / megabyte).toFixed(1)

const scriptsOf = ({ index }: AuditedPage): Entry[] =>
  index.of('script').filter(({ element }) => (attribute(element, 'src') ?? '').trim() !== '')

const shown = ({ element }: Entry): string => attribute(element, 'src')?.trim() ?? ''

function isBlocking({ element, isInHead }: Entry): boolean {
  const type = attribute(element, 'type')?.trim().toLowerCase() ?? ''
  const isClassic = type === '' || /^(?:text|application)\/(?:x-)?(?:java|ecma)script$/.test(type)
  return isInHead && isClassic && attribute(element, 'async') === null && attribute(element, 'defer') === null
}

const inlineCode = ({ index }: AuditedPage): number =>
  index
    .of('script', 'style')
    .filter(({ element }) => !/json/i.test(attribute(element, 'type') ?? ''))
    .reduce((sum, { element }) => sum + rawTextOf(element).length, 0)

function embedded(element: Entry['element']): number {
  const src = attribute(element, 'src') ?? ''
  return src.startsWith('data:') ? src.length : 0
}
