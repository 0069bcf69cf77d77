/** Rules of images: what stands for them where they are not seen, and how they load. */
import { attribute } from '@tidemark/html/tree/attribute'
import type { AuditedPage } from './audited-page.ts'
import { tagOf } from './headings.ts'
import { type Entry, isSaid } from './page-index.ts'
import { among, type Rule } from './rule.ts'
import { html, wcag, webDev } from './sources.ts'

const nonText = wcag('1.1.1 Non-text Content', 'non-text-content')
const longestAlt = 250
const placeholders = new Set(
  'image img picture photo foto bild graphic icon spacer placeholder untitled alt'.split(' '),
)
const fileName = /^[^\s/\\]{1,200}\.(?:jpe?g|png|gif|webp|svg|avif|bmp|tiff?)$/i

export const imageRules: readonly Rule[] = [
  {
    id: 'img/alt-missing',
    on: 'pages',
    severity: 'error',
    finds:
      'An `<img>` without an alt attribute, and without a label, a title or a role that says that it is decoration',
    reason:
      'Who does not see the image hears its file name, or nothing; search engines do not know what it shows.',
    source: wcag('1.1.1 Non-text Content (failure F65)', 'non-text-content'),
    find: page =>
      among(
        imagesOf(page).filter(entry => !hasAlternative(entry) && !isPixel(entry)),
        n =>
          `${n === 1 ? 'An image has' : `${n} images have`} no alt attribute. Say what is to be seen; alt="" where that is decoration.`,
        shown,
      ),
  },
  {
    id: 'img/alt-filename',
    on: 'pages',
    severity: 'warning',
    finds: 'An alternative text that is the name of a file',
    reason: 'A file name says nothing to who does not see the image.',
    source: wcag('1.1.1 Non-text Content (failure F30)', 'non-text-content'),
    find: page =>
      among(
        imagesOf(page).filter(({ element }) => fileName.test((attribute(element, 'alt') ?? '').trim())),
        n =>
          `The alternative text of ${n === 1 ? 'an image' : `${n} images`} is a file name. Say what is to be seen.`,
        withAlt,
      ),
  },
  {
    id: 'img/alt-placeholder',
    on: 'pages',
    severity: 'warning',
    finds: 'An alternative text that is but a word such as "image" or "photo"',
    reason: 'That there is an image is known already.',
    source: wcag('1.1.1 Non-text Content (failure F30)', 'non-text-content'),
    find: page =>
      among(
        imagesOf(page).filter(({ element }) =>
          placeholders.has((attribute(element, 'alt') ?? '').trim().toLowerCase()),
        ),
        n =>
          `The alternative text of ${n === 1 ? 'an image' : `${n} images`} is a placeholder. Say what is to be seen, or alt="" for decoration.`,
        withAlt,
      ),
  },
  {
    id: 'img/alt-long',
    on: 'pages',
    severity: 'info',
    finds: `An alternative text of more than ${longestAlt} characters`,
    reason: 'It is read in one go, without headings or a way back; long descriptions belong into the page.',
    source: html('requirements for providing text to act as an alternative for images', 'images.html#alt'),
    find: page =>
      among(
        imagesOf(page).filter(({ element }) => (attribute(element, 'alt') ?? '').length > longestAlt),
        n =>
          `The alternative text of ${n === 1 ? 'an image' : `${n} images`} is longer than ${longestAlt} characters. Put the description into the page.`,
        withAlt,
      ),
  },
  {
    id: 'img/src-missing',
    on: 'pages',
    severity: 'warning',
    finds: 'An `<img>` without src and srcset, where no data attribute holds them for a script',
    reason: 'Nothing is shown in its place.',
    source: html('the img element', 'embedded-content.html#attr-img-src'),
    find: page =>
      among(
        imagesOf(page).filter(({ element }) => !hasSource(element)),
        n => `${n === 1 ? 'An image has' : `${n} images have`} no source. Name one, or remove the element.`,
        shown,
      ),
  },
  {
    id: 'img/size-missing',
    on: 'pages',
    severity: 'info',
    finds: 'An `<img>` without width and height, by attributes or in its style',
    reason: 'Unless a style sheet knows the ratio, what stands below jumps when the image arrives (CLS).',
    source: webDev('optimize Cumulative Layout Shift', 'optimize-cls'),
    find: page =>
      among(
        imagesOf(page).filter(entry => hasSource(entry.element) && !hasSize(entry) && !entry.isHidden),
        n =>
          `${n === 1 ? 'An image states' : `${n} images state`} no width and height. State both, so that room is kept for them.`,
        shown,
      ),
  },
  {
    id: 'img/map-area-alt',
    on: 'pages',
    severity: 'error',
    finds: 'An `<area href>` without alternative text or label',
    reason: 'It is a link of which only its address can be told.',
    source: nonText,
    find: ({ index }) =>
      among(
        index.of('area').filter(({ element, isNamed }) => attribute(element, 'href') !== null && !isNamed),
        n =>
          `${n === 1 ? 'A part' : `${n} parts`} of an image map ${n === 1 ? 'has' : 'have'} no alt. Say where they lead.`,
        shown,
      ),
  },
  {
    id: 'img/server-side-map',
    on: 'pages',
    severity: 'warning',
    finds: 'An `<img ismap>`',
    reason: 'A server-side map can be used with a pointer alone.',
    source: wcag('2.1.1 Keyboard', 'keyboard'),
    find: page =>
      among(
        imagesOf(page).filter(({ element }) => attribute(element, 'ismap') !== null),
        () => 'An image is a server-side map. Use a map with areas, or links.',
        shown,
      ),
  },
]

const imagesOf = ({ index }: AuditedPage): Entry[] => index.of('img')

function hasAlternative({ element, isHidden }: Entry): boolean {
  if (isHidden || attribute(element, 'alt') !== null) return true
  if (['aria-label', 'aria-labelledby', 'title'].some(name => isSaid(element, name))) return true
  return /^(?:presentation|none)$/i.test(attribute(element, 'role')?.trim() ?? '')
}

/** What counts visitors is no picture. */
function isPixel({ element }: Entry): boolean {
  const [width, height] = [attribute(element, 'width'), attribute(element, 'height')]
  return (
    width !== null && height !== null && Number.parseInt(width, 10) <= 1 && Number.parseInt(height, 10) <= 1
  )
}

const hasSource = (element: Entry['element']): boolean =>
  isSaid(element, 'src') ||
  isSaid(element, 'srcset') ||
  Object.keys(element.attribs).some(name => /^(?:data-|:|v-bind:|ng-|\[)/.test(name) && name.includes('src'))

function hasSize({ element }: Entry): boolean {
  const has = (name: string): boolean =>
    isSaid(element, name) ||
    new RegExp(`(?:^|[;\\s])${name}\\s*:`, 'i').test(attribute(element, 'style') ?? '')
  return (has('width') && has('height')) || /aspect-ratio\s*:/i.test(attribute(element, 'style') ?? '')
}

const shown = ({ element }: Entry): string => attribute(element, 'src')?.slice(0, 120) || tagOf(element)

const withAlt = ({ element }: Entry): string =>
  `${(attribute(element, 'src') ?? '').slice(0, 80)}: ${attribute(element, 'alt')}`
