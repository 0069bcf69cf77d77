/** Rules of what a page weighs: its bytes, its elements, and what it makes a browser wait for. */
import { attribute } from '@tidemark/html/tree/attribute'
import { rawTextOf } from '@tidemark/html/tree/text-of'
import type { AuditedPage } from './audited-page.ts'
import type { Entry } from './page-index.ts'
import { among, type Rule, when } from './rule.ts'
import { google, lighthouse } from './sources.ts'

const megabyte = 1024 ** 2
/** As much of a page as Google reads for its search. */
const mostBytes = 2 * megabyte
const mostElements = 1400
const mostInline = 100 * 1024
const mostEmbedded = 100 * 1024
const mostBlocking = 5

export const weightRules: readonly Rule[] = [
  {
    id: 'weight/html',
    on: 'pages',
    severity: 'warning',
    finds: `HTML of more than ${mostBytes / megabyte} MB before compression`,
    reason: 'Google reads no more of a page than that, and telephones take long to draw it.',
    source: google('Googlebot, file size limits', 'crawling-indexing/googlebot'),
    find: ({ bytes }) =>
      when(
        bytes > mostBytes,
        () => `The HTML has ${megabytes(bytes)} MB. Divide the page, or load parts when they are wanted.`,
      ),
  },
  {
    id: 'weight/elements',
    on: 'pages',
    severity: 'info',
    finds: `More than ${mostElements} elements`,
    reason: 'Styles and layout take longer with each.',
    source: lighthouse('avoid an excessive DOM size', 'performance/dom-size'),
    find: ({ index }) =>
      when(
        index.all.length > mostElements,
        () =>
          `The page has ${index.all.length} elements; from about ${mostElements} on browsers work noticeably longer.`,
      ),
  },
  {
    id: 'weight/inline-code',
    on: 'pages',
    severity: 'info',
    finds: `More than ${mostInline / 1024} KB of scripts and style sheets in the page itself, and more than half of it`,
    reason: 'It is sent with each page anew, where a file would be cached.',
    source: lighthouse('avoid enormous network payloads', 'performance/total-byte-weight'),
    find: page => {
      const size = inlineCode(page)
      return when(
        size > mostInline && size > page.bytes / 2,
        () => `${Math.round(size / 1024)} KB of the page are scripts and styles. Move them into files.`,
      )
    },
  },
  {
    id: 'weight/embedded-images',
    on: 'pages',
    severity: 'info',
    finds: `More than ${mostEmbedded / 1024} KB of images in the page itself (data: addresses)`,
    reason: 'They delay the text and are sent with each page anew.',
    source: lighthouse('avoid enormous network payloads', 'performance/total-byte-weight'),
    find: ({ index }) => {
      const size = index.of('img').reduce((sum, { element }) => sum + embedded(element), 0)
      return when(
        size > mostEmbedded,
        () =>
          `${Math.round(size / 1024)} KB of the page are images. Serve those of more than a few KB as files.`,
      )
    },
  },
  {
    id: 'weight/blocking-scripts',
    on: 'pages',
    severity: 'info',
    finds: `More than ${mostBlocking} scripts from files in the head without async, defer or type=module`,
    reason: 'Nothing is drawn before all of them have been loaded and run.',
    source: lighthouse('eliminate render-blocking resources', 'performance/render-blocking-resources'),
    find: page => {
      const found = scriptsOf(page).filter(isBlocking)
      if (found.length <= mostBlocking) return null
      return among(
        found,
        n =>
          `${n} scripts in the head hold up drawing. Give them defer or async, where their order allows it.`,
        shown,
      )
    },
  },
  {
    id: 'weight/script-twice',
    on: 'pages',
    severity: 'warning',
    finds: 'The same script file named more than once',
    reason: 'It runs again: counters count twice, and handlers are called twice.',
    source: {
      name: 'HTML standard: the script element',
      url: 'https://html.spec.whatwg.org/multipage/scripting.html',
    },
    find: page => {
      const byAddress = Map.groupBy(scriptsOf(page), shown)
      const twice = [...byAddress].filter(([, all]) => all.length > 1)
      return among(
        twice,
        n => `${n === 1 ? 'A script is' : `${n} scripts are`} loaded more than once. Load each once.`,
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
