/** Rules for the viewport on small screens. */
import { attribute } from '@tidemark/html/tree/attribute'
import type { AuditedPage } from './audited-page.ts'
import { contentOf } from './page-index.ts'
import { among, type Rule, when } from './rule.ts'
import { google, mdn, wcag } from './sources.ts'

export const viewportRules: readonly Rule[] = [
  {
    id: 'viewport/missing',
    severity: 'warning',
    finds: 'No meta viewport',
    reason: 'Phones then lay the page out for a wide screen and shrink it. Google indexes the mobile view.',
    source: google('mobile-first indexing', 'crawling-indexing/mobile/mobile-sites-mobile-first-indexing'),
    find: page =>
      when(
        viewportsOf(page).length === 0,
        () =>
          'The page has no viewport. Add <meta name="viewport" content="width=device-width, initial-scale=1">.',
      ),
  },
  {
    id: 'viewport/fixed-width',
    severity: 'warning',
    finds: 'A viewport with a width in pixels, or without width and initial-scale',
    reason: 'The page then has the same width on every screen.',
    source: mdn('viewport', 'HTML/Reference/Elements/meta/name/viewport'),
    find: page =>
      among(viewportsOf(page).filter(isFixed), {
        many: 'The viewport does not adapt to the screen.',
        remedy: 'Use width=device-width, initial-scale=1.',
      }),
  },
  {
    id: 'viewport/zoom-disabled',
    severity: 'error',
    finds: 'A viewport with user-scalable=no, or a maximum-scale below 2',
    reason: 'Readers with low vision cannot enlarge the text in browsers that obey.',
    source: wcag('1.4.4 Resize Text', 'resize-text'),
    find: page =>
      among(viewportsOf(page).filter(isZoomless), {
        many: 'The viewport prevents zooming.',
        remedy: 'Remove user-scalable and maximum-scale.',
      }),
  },
]

const viewportsOf = ({ index }: AuditedPage): string[] =>
  index
    .of('meta')
    .filter(({ element }) => attribute(element, 'name')?.trim().toLowerCase() === 'viewport')
    .map(contentOf)

const isFixed = (content: string): boolean =>
  /\bwidth\s*=\s*\d/i.test(content) || !/\b(?:width|initial-scale)\s*=/i.test(content)

function isZoomless(content: string): boolean {
  const [, maximum] = /\bmaximum-scale\s*=\s*([\d.]+)/i.exec(content) ?? []
  const isBound = maximum !== undefined && Number(maximum) < 2
  return isBound || /\buser-scalable\s*=\s*(?:no|0(?:\.0*)?)(?![\w.])/i.test(content)
}
