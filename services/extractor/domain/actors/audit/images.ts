/** Rules for images: alternative text and loading. */
import { attribute } from '@tidemark/html/tree/attribute'
import { type Entry, hasAnyAttribute, tagOf } from './page-index.ts'
import { among, type Rule } from './rule.ts'
import { html, wcag, webDev } from './sources.ts'

const nonText = wcag('1.1.1 Non-text Content', 'non-text-content')
const maxAltLength = 250
const placeholders = new Set(
  'image img picture photo foto bild graphic icon spacer placeholder untitled alt'.split(' '),
)
const fileName = /^[^\s/\\]{1,200}\.(?:jpe?g|png|gif|webp|svg|avif|bmp|tiff?)$/i

export const imageRules: readonly Rule[] = [
  {
    id: 'img/alt-missing',
    severity: 'error',
    finds: 'An `<img>` without alt attribute, label, title or a role for decoration',
    reason:
      'Screen readers read the file name or nothing, and search engines do not know the content of the image.',
    source: wcag('1.1.1 Non-text Content (failure F65)', 'non-text-content'),
    find: ({ index }) =>
      among(
        index.of('img').filter(entry => !hasAlternative(entry) && !isPixel(entry)),
        {
          one: 'An image has no alt attribute.',
          many: '{n} images have no alt attribute.',
          remedy: 'Describe the image; use alt="" for decoration.',
        },
        shown,
      ),
  },
  {
    id: 'img/alt-filename',
    severity: 'warning',
    finds: 'A file name as alternative text',
    reason: 'A file name does not describe the image.',
    source: wcag('1.1.1 Non-text Content (failure F30)', 'non-text-content'),
    find: ({ index }) =>
      among(
        index.of('img').filter(({ element }) => fileName.test(altOf(element))),
        {
          one: 'The alternative text of an image is a file name.',
          many: 'The alternative text of {n} images is a file name.',
          remedy: 'Describe the image.',
        },
        withAlt,
      ),
  },
  {
    id: 'img/alt-placeholder',
    severity: 'warning',
    finds: 'An alternative text that is only a word such as "image" or "photo"',
    reason: 'Screen readers already announce an image.',
    source: wcag('1.1.1 Non-text Content (failure F30)', 'non-text-content'),
    find: ({ index }) =>
      among(
        index.of('img').filter(({ element }) => placeholders.has(altOf(element).toLowerCase())),
        {
          one: 'The alternative text of an image is a placeholder.',
          many: 'The alternative text of {n} images is a placeholder.',
          remedy: 'Describe the image, or use alt="" for decoration.',
        },
        withAlt,
      ),
  },
  {
    id: 'img/alt-long',
    severity: 'info',
    finds: `An alternative text of more than ${maxAltLength} characters`,
    reason: 'Screen readers read it without structure or pause. Long descriptions belong in the page.',
    source: html('requirements for providing text to act as an alternative for images', 'images.html#alt'),
    find: ({ index }) =>
      among(
        index.of('img').filter(({ element }) => altOf(element).length > maxAltLength),
        {
          one: `The alternative text of an image is longer than ${maxAltLength} characters.`,
          many: `The alternative text of {n} images is longer than ${maxAltLength} characters.`,
          remedy: 'Move the description into the page.',
        },
        withAlt,
      ),
  },
  {
    id: 'img/src-missing',
    severity: 'warning',
    finds: 'An `<img>` without src and srcset, and without a data attribute with a URL for a script',
    reason: 'Browsers show no image.',
    source: html('the img element', 'embedded-content.html#attr-img-src'),
    find: ({ index }) =>
      among(
        index.of('img').filter(({ element }) => !hasSource(element)),
        {
          one: 'An image has no source.',
          many: '{n} images have no source.',
          remedy: 'Add one, or remove the element.',
        },
        shown,
      ),
  },
  {
    id: 'img/size-missing',
    severity: 'info',
    finds: 'An `<img>` without width and height in attributes or style',
    reason: 'Unless a style sheet sets the ratio, the content below shifts when the image loads (CLS).',
    source: webDev('optimize Cumulative Layout Shift', 'optimize-cls'),
    find: ({ index }) =>
      among(
        index.of('img').filter(entry => hasSource(entry.element) && !hasSize(entry) && !entry.isHidden),
        {
          one: 'An image has no width and height.',
          many: '{n} images have no width and height.',
          remedy: 'State both, so that browsers reserve the space.',
        },
        shown,
      ),
  },
  {
    id: 'img/map-area-alt',
    severity: 'error',
    finds: 'An `<area href>` without alternative text or label',
    reason: 'Screen readers can announce only the URL of the link.',
    source: nonText,
    find: ({ index }) =>
      among(
        index.of('area').filter(({ element, isNamed }) => attribute(element, 'href') !== null && !isNamed),
        {
          one: 'A part of an image map has no alt text.',
          many: '{n} parts of an image map have no alt text.',
          remedy: 'Describe their targets.',
        },
        shown,
      ),
  },
  {
    id: 'img/server-side-map',
    severity: 'warning',
    finds: 'An `<img ismap>`',
    reason: 'Server-side maps work with a pointer only.',
    source: wcag('2.1.1 Keyboard', 'keyboard'),
    find: ({ index }) =>
      among(
        index.of('img').filter(({ element }) => attribute(element, 'ismap') !== null),
        { many: 'An image uses a server-side map.', remedy: 'Use a map with areas, or links.' },
        shown,
      ),
  },
]

const altOf = (element: Entry['element']): string => (attribute(element, 'alt') ?? '').trim()

function hasAlternative({ element, isHidden }: Entry): boolean {
  if (isHidden || attribute(element, 'alt') !== null) return true
  if (hasAnyAttribute(element, 'aria-label', 'aria-labelledby', 'title')) return true
  return /^(?:presentation|none)$/i.test(attribute(element, 'role')?.trim() ?? '')
}

/** Tracking pixels are not images. */
function isPixel({ element }: Entry): boolean {
  const [width, height] = [attribute(element, 'width'), attribute(element, 'height')]
  return (
    width !== null && height !== null && Number.parseInt(width, 10) <= 1 && Number.parseInt(height, 10) <= 1
  )
}

const hasSource = (element: Entry['element']): boolean =>
  hasAnyAttribute(element, 'src', 'srcset') ||
  Object.keys(element.attribs).some(name => /^(?:data-|:|v-bind:|ng-|\[)/.test(name) && name.includes('src'))

function hasSize({ element }: Entry): boolean {
  const has = (name: string): boolean =>
    hasAnyAttribute(element, name) ||
    new RegExp(`(?:^|[;\\s])${name}\\s*:`, 'i').test(attribute(element, 'style') ?? '')
  return (has('width') && has('height')) || /aspect-ratio\s*:/i.test(attribute(element, 'style') ?? '')
}

const shown = ({ element }: Entry): string => attribute(element, 'src')?.slice(0, 120) || tagOf({ element })

const withAlt = ({ element }: Entry): string =>
  `${(attribute(element, 'src') ?? '').slice(0, 80)}: ${attribute(element, 'alt')}`
